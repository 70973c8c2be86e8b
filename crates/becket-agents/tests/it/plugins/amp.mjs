// Plays Amp: loads the plugin, takes the steps given as JSON, prints what came of each.
const [, , plugin, steps] = process.argv
const { default: becket } = await import(plugin)

const calls = []
const handlers = {}
let dispose = async () => {}
const amp = {
  logger: { log: () => {} },
  system: { workspaceRoot: { toString: () => `file://${process.cwd()}` } },
  helpers: { filePathFromURI: (uri) => new URL(uri.toString()).pathname },
  on: (event, handler) => { handlers[event] = handler },
  onDispose: (callback) => { dispose = callback },
}
becket(amp)

const results = []
for (const { hook, event, confirm, parent } of JSON.parse(steps)) {
  const ctx = {
    ui: {
      notify: async (message) => { calls.push(["notify", message]) },
      confirm: async (options) => {
        calls.push(["confirm", options])
        if (confirm === undefined) throw new Error("no UI")
        return confirm
      },
    },
    thread: {
      id: event.thread.id,
      cancel: async () => { calls.push(["cancel", event.thread.id]) },
      parentThreadID: async () => parent ?? null,
    },
  }
  let threw = null
  let returned = null
  try {
    returned = (await handlers[hook](event, ctx)) ?? null
  } catch (error) {
    threw = error.message
  }
  results.push({ threw, returned })
}
await dispose()
console.log(JSON.stringify({ results, calls, handlers: Object.keys(handlers) }))
