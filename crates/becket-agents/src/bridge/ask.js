// ---- the bridge: one call of the plugin is one run of Becket ----------------------------------

const BECKET = "@BECKET_BINARY@"
const AGENT = "@BECKET_AGENT@"
const BRIDGE = "@BECKET_BRIDGE@"

// How long one run may take. Becket holds its hooks to their own deadlines; this one is for Becket
// itself. BECKET_PLUGIN_TIMEOUT_MS overrides it.
const DEADLINE_MS = Number(process.env.BECKET_PLUGIN_TIMEOUT_MS) > 0 ? Number(process.env.BECKET_PLUGIN_TIMEOUT_MS) : 120_000
const GRACE_MS = 2_000
const LARGEST_REPLY = 16 * 1024 * 1024
const WAITING_AT_MOST = 256

// What becomes of a tool call when Becket cannot be asked (not found, crashed, out of time, an
// answer that makes no sense): it is refused, because nobody knows what the hooks would have said.
// BECKET_ON_FAILURE=allow in the agent's environment lets it happen instead. Every other failure is
// only logged.
const REFUSE_ON_FAILURE = process.env.BECKET_ON_FAILURE !== "allow"

function failureReason(failure) {
  return `Becket could not be asked about this call (${failure}), so it is refused. ` +
    "Tell the person to run `becket doctor`; BECKET_ON_FAILURE=allow lets such calls happen."
}

// Asks Becket about one event. Never throws: resolves to { reply } or { failure }. A run that nobody
// waits for (`loose`) does not keep the agent from ending.
function ask(event, payload, cwd, { deadline = DEADLINE_MS, loose = false } = {}) {
  return new Promise((resolve) => {
    let child
    let text
    try {
      text = JSON.stringify({ becket_bridge: BRIDGE, ...payload })
      const grouped = process.platform !== "win32"
      child = spawn(BECKET, ["hook", event, "--agent", AGENT], {
        cwd, detached: grouped, stdio: ["pipe", "pipe", "pipe"], windowsHide: true,
      })
    } catch (error) {
      resolve({ failure: String(error?.message ?? error) })
      return
    }
    let out = ""
    let err = ""
    let settled = false
    const settle = (result) => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      resolve(result)
    }
    const giveUp = (failure) => {
      settle({ failure })
      end(child)
    }
    const timer = setTimeout(() => giveUp(`no answer within ${deadline} ms`), deadline)
    child.on("error", (error) => settle({ failure: String(error?.message ?? error) }))
    child.stdin.on("error", () => {}) // It may answer without reading.
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (chunk) => {
      out += chunk
      if (out.length > LARGEST_REPLY) giveUp("the answer is too long")
    })
    child.stderr.setEncoding("utf8")
    child.stderr.on("data", (chunk) => { err = (err + chunk).slice(0, 2_000) })
    child.on("close", (code, signal) => {
      if (code !== 0) return settle({ failure: `exit ${code ?? signal}${err.trim() ? `: ${err.trim()}` : ""}` })
      settle(understood(out))
    })
    child.stdin.end(text)
    if (loose) for (const handle of [timer, child, child.stdin, child.stdout, child.stderr]) handle.unref?.()
  })
}

// An answer from another version of Becket may say what is not known here, so it is none.
function understood(out) {
  if (out.trim() === "") return { reply: {} }
  try {
    const reply = JSON.parse(out)
    const ours = reply !== null && typeof reply === "object" && reply.bridge === BRIDGE
    if (ours && [undefined, "allow", "ask", "deny"].includes(reply.verdict)) return { reply }
  } catch {}
  return { failure: "the answer is not Becket's" }
}

// Asks it to stop, which ends the hooks it runs, and soon after makes sure.
function end(child) {
  const kill = (signal) => {
    try {
      if (process.platform === "win32") child.kill(signal)
      else process.kill(-child.pid, signal)
    } catch {}
  }
  kill("SIGTERM")
  const sure = setTimeout(() => kill("SIGKILL"), GRACE_MS)
  child.once("close", () => clearTimeout(sure))
}

// Observations wait for each other, so that they arrive in order and one at a time, and nobody
// waits for them. A long line of them is cut rather than kept in memory.
const queues = new Map()
let waiting = 0

function observe(session, task) {
  if (waiting >= WAITING_AT_MOST) return Promise.resolve(undefined)
  waiting += 1
  const before = queues.get(session) ?? Promise.resolve()
  const mine = before.then(task).catch(() => undefined).finally(() => {
    waiting -= 1
    if (queues.get(session) === mine) queues.delete(session)
  })
  queues.set(session, mine)
  return mine
}

// All observations so far, or as many as fit in the time.
async function settled(milliseconds) {
  let timer
  const late = new Promise((resolve) => { timer = setTimeout(resolve, milliseconds) })
  await Promise.race([Promise.allSettled([...queues.values()]), late])
  clearTimeout(timer)
}

// A map that forgets its oldest entry rather than grow without end.
class Remembered extends Map {
  constructor(limit) {
    super()
    this.limit = limit
  }

  set(key, value) {
    super.delete(key)
    super.set(key, value)
    if (this.size > this.limit) super.delete(this.keys().next().value)
    return this
  }
}
