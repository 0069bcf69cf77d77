import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openBus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import pg from 'pg'
import { test } from 'tap'
import { unpacked } from './debian.ts'
import { sharedBin, startSystem } from './system.ts'

const cache = join(sharedBin(), 'debian-sites')
const publishes = 200

/** Returns why processes cannot be traced on this machine, or false. */
async function untraceable(strace: string): Promise<string | false> {
  const tried = promisify(execFile)(strace, ['-o', '/dev/null', process.execPath, '--version'])
  return tried.then(
    () => false as const,
    () => 'this machine does not permit tracing',
  )
}

test('Acknowledged writes are on disk', async t => {
  const system = await startSystem()
  t.teardown(() => system.stop())
  const { nats, postgres } = await system.runFile()

  t.test('Postgres syncs its commits', async t => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      t.equal((await client.query(`show ${setting}`)).rows[0][setting], 'on', setting)
    }
    await client.end()
  })

  const strace = await unpacked('strace', cache)
  const skip = 'missing' in strace ? strace.missing : await untraceable(join(strace.folder, 'usr/bin/strace'))
  t.test('NATS syncs at least once for each publish that it acknowledges', { skip }, async t => {
    const program = 'folder' in strace ? join(strace.folder, 'usr/bin/strace') : ''
    const log = join(system.dir, 'syncs.log')
    const tracing = spawn(program, ['-f', '-p', String(nats.pid), '-e', 'trace=fsync,fdatasync', '-o', log])
    await sleep(500)
    const bus = await openBus({ url: nats.url, name: 'durability' })
    for (let n = 0; n < publishes; n++) await publish(bus, 'dead.test.durability', `${n}`)
    await bus.close()
    tracing.kill('SIGINT')
    await new Promise(resolve => tracing.once('exit', resolve))
    const syncs = (await readFile(log, 'utf8')).match(
      /(fsync|fdatasync)\(\d+\) *= 0|<\.\.\. f(data)?sync resumed>\) *= 0/g,
    )
    t.ok((syncs?.length ?? 0) >= publishes, `${syncs?.length} syncs for ${publishes} publishes`)
  })
})
