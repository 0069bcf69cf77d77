/**
 * `npm run load [-- --connections 50,200,1000 --seconds N --tenants N]` saturates the API with `autocannon`: a system
 * of split processes and a site of this machine. Every kind of request is sent as fast as the system responds, and no
 * response may be worse than a 503 with `Retry-After`. Afterwards the system must be as healthy as before. Prints a
 * table and one line of JSON, and ends with `N passed, N failed`.
 */
import { startSite } from '../bench/served-site.ts'
import { optionsOf } from '../command-line.ts'
import { startSystem } from '../e2e/system.ts'
import { type Pressed, press } from './press.ts'
import { pidsOf, sizesOf, untilIdle, watchSizes } from './recovery.ts'
import { tableOf } from './table.ts'
import { makeTenants } from './tenants.ts'

const log = (line: string) => process.stderr.write(`${line}\n`)
const print = (line: string) => process.stdout.write(`${line}\n`)

const sitePages = 200
const idleLimitMs = 180_000
/** Allowed growth of a process: heaps grow once, and NATS caches blocks of its streams in memory. */
const allowedGrowth = { times: 1.5, mebibytes: 128 }

const { connections, seconds, tenants: tenantCount } = readOptions()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))

const wrong: string[] = []
let checks = 0
const check = (isRight: boolean, text: string) => {
  checks++
  if (!isRight) wrong.push(text)
  log(`${isRight ? 'ok' : 'not ok'} ${text}`)
}

await main().catch(error => check(false, String(error.stack)))
print(`${checks - wrong.length} passed, ${wrong.length} failed`)
process.exit(wrong.length === 0 ? 0 : 1)

async function main(): Promise<void> {
  await using site = await startSite(sitePages, { hosts: 1 })
  const url = `${site.origins[0]}/`
  log('Starting a system …')
  const system = await startSystem({ PROCESSES: 'split', EGRESS_ALLOW: '127.1.0.0/16' })
  try {
    log(`Making ${tenantCount} projects …`)
    const tenants = await makeTenants(system, tenantCount, url)
    await press({ base: system.base, siteUrl: url, tenants, connections: 8, seconds: 2 }) // warms up the system
    await untilIdle(system, idleLimitMs)
    const [before, pids] = [await sizesOf(system), await pidsOf(system)]

    const levels: { connections: number; pressed: Pressed[]; idleAfter: number }[] = []
    const watched = watchSizes(system)
    for (const count of connections) {
      log(`${count} connections for ${seconds} s …`)
      const pressed = await press({ base: system.base, siteUrl: url, tenants, connections: count, seconds })
      print(tableOf(count, pressed))
      for (const { request, faults } of pressed)
        check(Object.keys(faults).length === 0, `${count} connections, ${request}: ${JSON.stringify(faults)}`)
      const idleAfter = await untilIdle(system, idleLimitMs)
      log(`all crawls had ended ${idleAfter.toFixed(1)} s later`)
      levels.push({ connections: count, pressed, idleAfter })
    }
    const highest = await watched()
    check((await pidsOf(system)).join() === pids.join(), 'no process has died')
    const ready = await system.call(null, 'GET', '/v1/ready')
    check(ready.status === 200, `/v1/ready answers ${ready.status} ${JSON.stringify(ready.body)}`)
    const verified = await system.admin('verify').then(
      () => 'clean',
      error => String(error.stdout || error),
    )
    check(verified === 'clean', `verify: ${verified}`)
    const after = await sizesOf(system)
    for (const [name, size] of Object.entries(after)) {
      const max = Math.max(
        allowedGrowth.times * (before[name] ?? 0),
        (before[name] ?? 0) + allowedGrowth.mebibytes,
      )
      check(
        size <= max,
        `${name} has ${size} MiB, ${before[name]} before the load and up to ${highest[name]} during it`,
      )
    }
    print(JSON.stringify({ connections, seconds, tenants: tenantCount, levels, before, highest, after }))
  } finally {
    await system.stop()
  }
}

function readOptions() {
  const values = optionsOf({
    connections: { type: 'string', default: '50,200,1000' },
    seconds: { type: 'string', default: '20' },
    tenants: { type: 'string', default: '100' },
  })
  const read = (name: keyof typeof values, text: string) => {
    const value = Number(text)
    if (Number.isInteger(value) && value >= 1 && value <= 10_000) return value
    log(`--${name} must be a whole number from 1 to 10000; it is "${text}".`)
    return process.exit(2)
  }
  return {
    connections: values.connections.split(',').map(text => read('connections', text)),
    seconds: read('seconds', values.seconds),
    tenants: read('tenants', values.tenants),
  }
}
