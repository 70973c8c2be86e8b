// becket: generated, bridge 1
//
// Forwards Amp's events to Becket and applies the replies. `becket init` writes this file and
// `becket uninstall` removes it; changes to it are lost.
//
//   sent, on stdin      {becket_bridge, hook, directory, sessionID, parentID?, continued?, event}
//   reply, on stdout    {bridge, verdict?: "deny" | "ask" | "allow", reason?, halt?, input?,
//                        context?, message?, continue?}, or nothing
//
// A denied tool call is rejected and the agent continues; `ask` opens a dialog and, if the user
// cannot answer, denies the call; a rewritten input replaces the call's; context is added to the
// prompt or to a tool's result. Plain JavaScript, so that it needs no types to load.

import { spawn } from "node:child_process"
import { homedir } from "node:os"

//@becket: ask.js

// The canonical names of Amp's events, which Becket knows to guard even if a payload is unreadable.
const NAMES = {
  "tool.call": "PreToolUse", "tool.result": "PostToolUse", "agent.start": "UserPromptSubmit",
  "agent.end": "Stop", "session.start": "SessionStart", "changes.prompt": "changes.prompt", dispose: "SessionEnd",
}

export default function becket(amp) {
  const threads = new Remembered(1_000) // state of each thread

  const log = (message) => {
    try {
      amp.logger?.log?.(`becket: ${message}`)
    } catch {}
  }

  const known = (id) => {
    if (!threads.has(id)) threads.set(id, {})
    return threads.get(id)
  }

  // Amp starts plugins in their own directory, so the workspace has to be queried.
  const directoryOf = (ctx) => {
    try {
      const root = ctx?.system?.workspaceRoot ?? amp.system?.workspaceRoot
      if (root) return amp.helpers.filePathFromURI(root)
    } catch {}
    return process.env.PWD || homedir()
  }

  const parentOf = (thread, ctx) => {
    thread.parent ??= Promise.race([
      Promise.resolve().then(() => ctx?.thread?.parentThreadID?.()).catch(() => undefined),
      new Promise((resolve) => { setTimeout(resolve, 1_000).unref?.() }),
    ])
    return thread.parent
  }

  const send = async (hook, event, ctx, more, how) => {
    const sessionID = event?.thread?.id
    const thread = known(sessionID)
    thread.directory ??= directoryOf(ctx)
    const parentID = (await parentOf(thread, ctx)) ?? undefined
    const payload = { hook, directory: thread.directory, sessionID, parentID, ...more, event }
    return ask(NAMES[hook], payload, thread.directory, how)
  }

  const show = (message, ctx) => {
    if (!message) return
    log(message)
    try {
      void Promise.resolve((ctx?.ui ?? amp.ui)?.notify?.(message)).catch(() => {})
    } catch {}
  }

  // Queries Becket and shows its message. A failure is an empty reply.
  const answerTo = async (hook, event, ctx, more) => {
    const { reply, failure } = await send(hook, event, ctx, more)
    if (failure) log(`${hook}: ${failure}`)
    show(reply?.message, ctx)
    return { reply: reply ?? {}, failure }
  }

  // Whether the turn was cancelled.
  const cancel = async (ctx) => {
    try {
      await ctx.thread.cancel()
      return true
    } catch (error) {
      log(`the turn was not ended: ${error?.message ?? error}`)
      return false
    }
  }

  // Only an explicit yes of the user approves.
  const confirmed = async (tool, input, reason, ctx) => {
    try {
      const call = `${tool} ${JSON.stringify(input)}`.slice(0, 1_000)
      const message = `${reason ?? "A hook wants you to decide."}\n\n\`\`\`\n${call}\n\`\`\``
      return (await ctx.ui.confirm({ title: "Run this tool call?", message, confirmButtonText: "Run it", requireHuman: true })) === true
    } catch {
      return false
    }
  }

  const reject = (message) => ({ action: "reject-and-continue", message })

  amp.on("session.start", (event, ctx) => {
    const thread = known(event.thread.id)
    thread.started = observe(event.thread.id, async () => {
      const { reply } = await answerTo("session.start", event, ctx)
      thread.context = reply.context
    })
  })

  amp.on("agent.start", async (event, ctx) => {
    const thread = known(event.thread.id)
    // The user did not type this prompt; the plugin sent it.
    const ours = thread.continuation !== undefined && event.message === thread.continuation
    thread.continued = ours
    thread.continuation = undefined
    if (ours) return {}
    await thread.started
    const { reply } = await answerTo("agent.start", event, ctx)
    if (reply.verdict === "deny") {
      show(reply.reason, ctx)
      if (await cancel(ctx)) return {}
      const content = `A hook that the person set up refused this prompt: ${reply.reason}\nDo not act on it; tell the person.`
      return { message: { content, display: true } }
    }
    const content = [thread.context, reply.context].filter(Boolean).join("\n\n")
    thread.context = undefined // Injected once: it stays in the thread.
    return content ? { message: { content } } : {}
  })

  amp.on("tool.call", async (event, ctx) => {
    const { reply, failure } = await answerTo("tool.call", event, ctx)
    if (failure) return REFUSE_ON_FAILURE ? reject(failureReason(failure)) : { action: "allow" }
    if (reply.halt) await cancel(ctx)
    if (reply.verdict === "deny") return reject(reply.reason)
    if (reply.verdict === "ask" && !(await confirmed(event.tool, reply.input ?? event.input, reply.reason, ctx))) {
      return reject(`The person was to decide and did not say yes: ${reply.reason ?? "a hook asked"}`)
    }
    return reply.input ? { action: "modify", input: reply.input } : { action: "allow" }
  })

  amp.on("tool.result", async (event, ctx) => {
    const { reply } = await answerTo("tool.result", event, ctx)
    if (reply.halt) await cancel(ctx)
    if (!reply.context) return undefined
    const { status, error, output } = event
    const more = `\n\n${reply.context}`
    if (typeof output === "string") return { status, error, output: output + more }
    if (typeof output?.output === "string") return { status, error, output: { ...output, output: output.output + more } }
    if (typeof error === "string") return { status, error: error + more, output }
    log("tool.result: there is no text that context could be added to")
    return undefined
  })

  amp.on("agent.end", async (event, ctx) => {
    const thread = known(event.thread.id)
    const { reply } = await answerTo("agent.end", event, ctx, { continued: thread.continued === true })
    if (!reply.continue) return undefined
    thread.continuation = reply.continue
    return { action: "continue", userMessage: reply.continue }
  })

  amp.on("changes.prompt", async (event, ctx) => {
    const { reply } = await answerTo("changes.prompt", event, ctx)
    return reply.context ? { append: reply.context } : undefined
  })

  // Amp gives a plugin about three seconds to shut down.
  amp.onDispose?.(async () => {
    await settled(GRACE_MS / 2)
    const ends = [...threads.keys()].filter(Boolean)
    await Promise.all(ends.map((id) => send("dispose", { thread: { id } }, undefined, {}, { deadline: GRACE_MS / 2 })))
  })
}
