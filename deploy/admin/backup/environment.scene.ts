/** Settings of servers in the environment of the test process. */
import type { Test } from 'tap'

/** Sets variables of this process until the end of the test. The value undefined removes a variable. */
export function nameInEnvironment(t: Test, env: NodeJS.ProcessEnv): void {
  const before = Object.fromEntries(Object.keys(env).map(name => [name, process.env[name]]))
  t.teardown(() => set(before))
  set(env)
}

function set(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}
