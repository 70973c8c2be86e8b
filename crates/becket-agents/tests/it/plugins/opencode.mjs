// Plays OpenCode: loads the plugin, takes the steps given as JSON, prints what came of each.
const [, , plugin, steps] = process.argv
const { Becket } = await import(plugin)

const calls = []
const record = (name) => async (request) => { calls.push([name, request]) }
const client = {
  app: { log: async () => {} },
  tui: { showToast: record("showToast") },
  session: { abort: record("abort"), promptAsync: record("promptAsync") },
  postSessionIdPermissionsPermissionId: record("permission"),
}
const hooks = await Becket({ client, directory: process.cwd(), worktree: process.cwd() })

// Waits for a call of the client, which comes when the plugin has its answer.
const called = async (name) => {
  const until = Date.now() + 30_000
  while (!calls.some(([made]) => made === name)) {
    if (Date.now() > until) throw new Error(`${name} was not called`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const results = []
for (const { hook, input, output, event, until } of JSON.parse(steps)) {
  const args = output?.args
  let threw = null
  try {
    if (hook === "event") await hooks.event({ event })
    else await hooks[hook](input, output)
    if (until) await called(until)
  } catch (error) {
    threw = error.message
  }
  // The very object that OpenCode holds on to, not whatever `output.args` is now.
  results.push({ threw, args, output })
}
await hooks.dispose()
console.log(JSON.stringify({ results, calls, exports: Object.keys(await import(plugin)) }))
