import { execFile } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { test } from 'tap'
import { findBrowser } from './executable.ts'
import { launchOptions } from './flags.ts'
import { wayNames } from './ways-out.pages.ts'
import type { Outcome, Setup } from './ways-out.scene.ts'

const run = promisify(execFile)
const home = process.env.BROWSER_HOME ?? path.join(os.tmpdir(), `tidemark-chromium-${os.userInfo().username}`)
const executable = await findBrowser({ named: process.env.CHROMIUM_PATH ?? '', home })

/** Returns the connections that a page of ways out makes in a network of its own. */
async function waysOut(setup: Setup): Promise<Outcome> {
  const scene = path.join(import.meta.dirname, 'ways-out.scene.ts')
  const args = ['-n', process.execPath, scene, setup, JSON.stringify(executable)]
  const { stdout } = await run('unshare', args, { timeout: 60_000 })
  return JSON.parse(stdout)
}

const reason = await run('unshare', [
  '-n',
  'ip',
  'link',
  'add',
  'way0',
  'type',
  'veth',
  'peer',
  'name',
  'way1',
]).then(
  () => false,
  () => 'it needs a network namespace, which only root can create',
)

test('The flags of Chromium allow no route except the proxy', async t => {
  const settings = {
    executable,
    proxy: { server: 'http://127.0.0.1:9' },
    sandbox: true,
    size: 1,
    folder: '/tmp',
  }
  const { proxy, args = [], chromiumSandbox } = launchOptions(settings)
  t.strictSame(proxy, { server: 'http://127.0.0.1:9', bypass: '<-loopback>' })
  t.ok(args.includes('--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'))
  t.ok(args.includes('--disable-quic'))
  t.ok(args.includes('--force-webrtc-ip-handling-policy=disable_non_proxied_udp'))
  t.equal(chromiumSandbox, true)
})

test(`A page with ${wayNames.length} ways out`, { skip: reason }, async t => {
  const setups: Setup[] = ['pool', 'flags', 'loopback', 'bare']
  const [pool, flags, loopback, bare] = (await Promise.all(setups.map(waysOut))) as [
    Outcome,
    Outcome,
    Outcome,
    Outcome,
  ]
  const tried = ({ requested }: Outcome) => new Set(requested.map(target => URL.parse(target)?.pathname)).size
  t.test('finds none in a job', async t => {
    t.strictSame([pool.hits, pool.datagrams], [0, 0])
    t.ok(tried(pool) > 15, `${tried(pool)} reached the proxy`)
  })
  t.test('finds none with the flags alone', async t => {
    t.strictSame([flags.hits, flags.datagrams], [0, 0])
    t.ok(tried(flags) > 15, `${tried(flags)} reached the proxy`)
  })
  t.test('reaches loopback if <-loopback> is missing', async t => {
    t.ok(loopback.hits > 10)
  })
  t.test('finds all of them, by UDP too, in a browser that only has a proxy', async t => {
    const { hits, datagrams } = bare
    t.ok(hits > 10, `${hits} connections`)
    t.ok(datagrams > 0, `${datagrams} packets`)
  })
})
