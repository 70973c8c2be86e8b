// becket: generated, bridge 1
//
// Forwards OpenCode's hooks and events to Becket and applies the replies. `becket init` writes this
// file and `becket uninstall` removes it; changes to it are lost.
//
//   sent, on stdin      {becket_bridge, hook, directory, worktree, sessionID, parentID?, agent?,
//                        continued?, aborted?, lastMessage?, call?, input?, output?, event?}
//   reply, on stdout    {bridge, verdict?: "deny" | "allow", reason?, halt?, input?, context?,
//                        message?, continue?}, or nothing
//
// A denied tool call throws, and OpenCode shows the error to the model; a rewritten input replaces the
// arguments in place; context becomes a part of the prompt, text after a tool's output, or system
// text of a session. The plugin waits only at hooks that can still block or take context.

import { spawn } from "node:child_process"

//@becket: ask.js

const LOOSE = { loose: true }

// How many times in a row a session may continue, whatever the reply.
const CONTINUED_AT_MOST = 8

// The bus events to forward. The others are frequent and of no use to a hook.
const EVENTS = new Set([
  "session.created", "session.deleted", "session.idle", "session.error", "session.compacted",
  "permission.asked", "permission.replied", "file.edited", "message.part.updated",
])

export const Becket = async ({ client, directory, worktree }) => {
  const sessions = new Remembered(1_000) // state of each session
  const calls = new Remembered(500) // tool and arguments of calls, for their permission requests
  const asked = new Remembered(100) // calls with a permission request
  const refused = new Remembered(500) // denied calls, which report no failure
  const reported = new Remembered(500) // parts that were reported, each only once

  const known = (id) => {
    if (!sessions.has(id)) sessions.set(id, { continues: 0 })
    return sessions.get(id)
  }

  const send = (hook, sessionID, more, how) => {
    const session = sessionID ? sessions.get(sessionID) : undefined
    const payload = {
      hook: more.event ? "event" : hook, directory, worktree, sessionID,
      parentID: session?.parentID, agent: session?.agent, ...more,
    }
    return ask(hook, payload, directory, how)
  }

  const log = (level, message) => {
    try {
      void Promise.resolve(client?.app?.log?.({ body: { service: "becket", level, message } })).catch(() => {})
    } catch {}
  }

  const show = (message, variant = "info") => {
    if (!message) return
    log("info", message)
    try {
      void Promise.resolve(client?.tui?.showToast?.({ body: { title: "Becket", message, variant } })).catch(() => {})
    } catch {}
  }

  const abort = (sessionID) => {
    known(sessionID).aborted = true
    try {
      void Promise.resolve(client?.session?.abort?.({ path: { id: sessionID } })).catch(() => {})
    } catch {}
  }

  // Handles a reply that no hook waits for.
  const replyOf = ({ reply, failure }, hook) => {
    if (failure) log("error", `${hook}: ${failure}`)
    else show(reply.message)
    return reply ?? {}
  }

  // A session starts when it is created, or when an earlier one is resumed.
  const start = (hook, sessionID, more) => {
    const session = known(sessionID)
    session.started ??= observe(sessionID, async () => {
      const reply = replyOf(await send(hook, sessionID, more), hook)
      session.context = reply.context
    })
    return session.started
  }

  const keepGoing = async (sessionID, text) => {
    const session = known(sessionID)
    if (session.aborted) return
    if (session.continues >= CONTINUED_AT_MOST) return log("warn", "kept going too often; the session may rest")
    session.continues += 1
    session.continuation = text
    const request = { path: { id: sessionID }, body: { parts: [{ type: "text", text }] } }
    if (client?.session?.promptAsync) await client.session.promptAsync(request)
    else void Promise.resolve(client?.session?.prompt?.(request)).catch(() => {})
  }

  const answerPermission = async ({ id, sessionID }, verdict) => {
    const response = { allow: "once", deny: "reject" }[verdict]
    if (!response) return
    if (client?.postSessionIdPermissionsPermissionId) {
      await client.postSessionIdPermissionsPermissionId({ path: { id: sessionID, permissionID: id }, body: { response } })
    } else {
      await client?.permission?.reply?.({ requestID: id, reply: response })
    }
  }

  // Whether to report a changed part: a failed tool, or a complete thought.
  const worthTelling = (part) => {
    const failed = part?.type === "tool" && part.state?.status === "error" && !refused.has(part.callID)
    const thought = part?.type === "reasoning" && part.time?.end !== undefined
    if ((!failed && !thought) || reported.has(part.id)) return false
    reported.set(part.id, true)
    return true
  }

  const onEvent = (event) => {
    const properties = event.properties ?? {}
    const sessionID = properties.sessionID ?? properties.info?.id
    const more = { event }
    switch (event.type) {
      case "session.created": {
        const session = known(sessionID)
        session.parentID = properties.info?.parentID
        session.agent = properties.info?.agent ?? /\(@(\S+) subagent\)/.exec(properties.info?.title ?? "")?.[1]
        void start(event.type, sessionID, more)
        return
      }
      case "message.part.updated":
        if (!worthTelling(properties.part)) return
        break
      case "permission.asked":
        more.call = calls.get(properties.tool?.callID)
        asked.set(properties.id, more.call ?? { tool: properties.permission, args: properties.metadata, callID: properties.tool?.callID })
        break
      case "permission.replied":
        more.call = asked.get(properties.requestID)
        if (properties.reply === "reject" && more.call) refused.set(more.call.callID, true)
        break
      case "session.error":
        if (properties.error?.name === "MessageAbortedError" && sessionID) known(sessionID).aborted = true
        break
      case "session.idle": {
        const session = known(sessionID)
        more.continued = session.continues > 0
        more.aborted = session.aborted === true
        more.lastMessage = session.lastMessage
        break
      }
    }
    void observe(sessionID ?? "", async () => {
      const reply = replyOf(await send(event.type, sessionID, more, LOOSE), event.type)
      if (event.type === "permission.asked") await answerPermission(properties, reply.verdict)
      if (event.type === "session.idle" && reply.continue) await keepGoing(sessionID, reply.continue)
      if (event.type === "session.deleted") sessions.delete(sessionID)
    })
  }

  return {
    event: async ({ event }) => {
      try {
        if (EVENTS.has(event?.type)) onEvent(event)
      } catch (error) {
        log("error", String(error))
      }
    },

    // The configuration itself is not sent: it contains API keys.
    config: async () => {
      void observe("", () => send("config", undefined, { input: {} }, LOOSE))
    },

    "chat.message": async (input, output) => {
      const { sessionID } = input
      const session = known(sessionID)
      const text = output.parts?.find((part) => part.type === "text")?.text
      if (session.continuation !== undefined && text === session.continuation) {
        session.continuation = undefined // The plugin sent it, not the user.
        return
      }
      session.continues = 0
      session.aborted = false
      session.agent ??= input.agent
      await start("session.resumed", sessionID, { input })
      const { reply, failure } = await send("chat.message", sessionID, { input, output })
      if (failure) return log("error", `chat.message: ${failure}`)
      show(reply.message)
      if (reply.verdict === "deny" || reply.verdict === "ask") {
        show(reply.reason, "error")
        throw new Error(reply.reason)
      }
      if (reply.context) {
        const id = `prt_${Date.now().toString(16)}becket${Math.random().toString(36).slice(2, 10)}`
        const messageID = output.message?.id ?? input.messageID
        output.parts.push({ id, sessionID, messageID, type: "text", text: reply.context, synthetic: true })
      }
    },

    "tool.execute.before": async (input, output) => {
      calls.set(input.callID, { tool: input.tool, args: { ...output.args }, callID: input.callID })
      const { reply, failure } = await send("tool.execute.before", input.sessionID, { input, output })
      const refuse = (reason) => {
        refused.set(input.callID, true)
        throw new Error(reason)
      }
      if (failure) {
        log("error", `tool.execute.before: ${failure}`)
        if (REFUSE_ON_FAILURE) refuse(failureReason(failure))
        return
      }
      show(reply.message)
      if (reply.halt) abort(input.sessionID)
      // OpenCode has no dialog here.
      if (reply.verdict === "deny" || reply.verdict === "ask") refuse(reply.reason)
      if (reply.input) {
        // OpenCode keeps a reference to the arguments, so they are changed in place.
        for (const key of Object.keys(output.args)) delete output.args[key]
        Object.assign(output.args, reply.input)
        calls.set(input.callID, { tool: input.tool, args: { ...output.args }, callID: input.callID })
      }
    },

    "tool.execute.after": async (input, output) => {
      const result = await send("tool.execute.after", input.sessionID, { input, output })
      const reply = replyOf(result, "tool.execute.after")
      // MCP tools return a list of parts instead of one text.
      if (reply.context && typeof output?.output === "string") output.output += `\n\n${reply.context}`
      else if (reply.context && Array.isArray(output?.content)) output.content.push({ type: "text", text: reply.context })
      if (reply.halt) abort(input.sessionID)
    },

    // Context from the start of a session is added to each request to the model, except the one that
    // generates the title: it would name the session after the context.
    "experimental.chat.system.transform": async (input, output) => {
      const session = sessions.get(input.sessionID)
      await session?.started
      if (session?.context && !/title generator/i.test(output.system?.[0] ?? "")) output.system.push(session.context)
    },

    "experimental.session.compacting": async (input, output) => {
      const result = await send("experimental.session.compacting", input.sessionID, { input, output })
      const reply = replyOf(result, "experimental.session.compacting")
      if (reply.context) output.context.push(reply.context)
    },

    "experimental.text.complete": async (input, output) => {
      known(input.sessionID).lastMessage = output.text
      const copy = { input, output: { ...output } }
      void observe(input.sessionID, () => send("experimental.text.complete", input.sessionID, copy, LOOSE))
    },

    // OpenCode is shutting down: wait briefly for pending requests, then end each session.
    dispose: async () => {
      await settled(GRACE_MS)
      const roots = [...sessions].filter(([, session]) => session.started && !session.parentID)
      await Promise.all(roots.map(([id]) => send("dispose", id, { input: {} }, { deadline: GRACE_MS })))
    },
  }
}
