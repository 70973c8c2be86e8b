// ---- bridge: each request of the plugin runs Becket once --------------------------------------

const BECKET = "@BECKET_BINARY@"
const AGENT = "@BECKET_AGENT@"
const BRIDGE = "@BECKET_BRIDGE@"

// Timeout of one run. Becket enforces the timeouts of its hooks; this one is for Becket itself.
// BECKET_PLUGIN_TIMEOUT_MS overrides it.
const DEADLINE_MS = Number(process.env.BECKET_PLUGIN_TIMEOUT_MS) > 0 ? Number(process.env.BECKET_PLUGIN_TIMEOUT_MS) : 120_000
const GRACE_MS = 2_000
const LARGEST_REPLY = 16 * 1024 * 1024
const WAITING_AT_MOST = 256

// What happens to a tool call when Becket gives no valid reply (not found, crashed, timed out,
// invalid reply): it is denied, because the decision of the hooks is not available.
// BECKET_ON_FAILURE=allow in the agent's environment allows it instead. Every other failure is
// only logged.
const REFUSE_ON_FAILURE = process.env.BECKET_ON_FAILURE !== "allow"

function failureReason(failure) {
  return `Becket could not be asked about this call (${failure}), so it is refused. ` +
    "Tell the person to run `becket doctor`; BECKET_ON_FAILURE=allow lets such calls happen."
}

// Queries Becket about one event. Never throws: resolves to { reply } or { failure }. A detached run
// (`loose`) does not keep the agent from exiting.
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
    child.stdin.on("error", () => {}) // Becket may reply without reading its input.
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

// A reply of another bridge version may contain unknown keys, so it is invalid.
function understood(out) {
  if (out.trim() === "") return { reply: {} }
  try {
    const reply = JSON.parse(out)
    const ours = reply !== null && typeof reply === "object" && reply.bridge === BRIDGE
    if (ours && [undefined, "allow", "ask", "deny"].includes(reply.verdict)) return { reply }
  } catch {}
  return { failure: "the answer is not Becket's" }
}

// Terminates Becket, which ends its hooks, and kills it shortly after.
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

// Observations are sent in order, one at a time, in the background. A long queue is truncated to
// bound memory.
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

// Waits for all pending observations, up to a time limit.
async function settled(milliseconds) {
  let timer
  const late = new Promise((resolve) => { timer = setTimeout(resolve, milliseconds) })
  await Promise.race([Promise.allSettled([...queues.values()]), late])
  clearTimeout(timer)
}

// A bounded map that evicts its oldest entry.
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
