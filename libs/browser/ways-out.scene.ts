/**
 * A program that runs alone in a network namespace. In one setup it renders a page that tries to reach addresses in
 * every known way, and prints the result. Canaries listen at addresses that are reachable only without the proxy: on
 * loopback and on an address of the namespace.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { patient } from '@tidemark/testing/slowness'
import { chromium } from 'playwright-core'
import { startForwardProxy, startSite } from './browser.scene.ts'
import type { Executable } from './executable.ts'
import { launchOptions, proxyBypass } from './flags.ts'
import { openBrowserPool } from './pool.ts'
import { pageOfWaysOut } from './ways-out.pages.ts'

/**
 * `pool`: the browser pool renders the page as it renders a job. `flags`: a browser with the flags of a job.
 * `loopback`: a browser with the same flags, but without `<-loopback>`. `bare`: a browser that has only a proxy
 * configured.
 */
export type Setup = 'pool' | 'flags' | 'loopback' | 'bare'
export type Outcome = { hits: number; datagrams: number; requested: string[] }

const outside = '10.77.0.1'
const watchedMs = 3_000

if (process.argv[1] === import.meta.filename) {
  const [setup, executable] = process.argv.slice(2)
  process.stdout.write(JSON.stringify(await tryWaysOut(setup as Setup, JSON.parse(executable ?? '{}'))))
  process.exit(0)
}

async function tryWaysOut(setup: Setup, executable: Executable): Promise<Outcome> {
  addInterfaces()
  await using canaries = await startCanaries()
  const { port } = canaries
  const addresses = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `${outside}:${port}`]
  // Without `<-loopback>`, a site on loopback is unreachable through the proxy, so the site has another address. In the
  // other setups it is on loopback.
  const host = setup === 'loopback' ? outside : '127.1.0.61'
  const pages: Parameters<typeof startSite>[0] = {
    '/': pageOfWaysOut(addresses),
    '/redirect': (request, response) =>
      response.writeHead(302, { location: request.url?.split('?')[1] ?? '' }).end(),
    '/service-worker': (request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/javascript' })
        .end(`fetch('${request.url?.split('?')[1]}', { mode: 'no-cors' })`),
  }
  await using site = await startSite(pages, host)
  await using proxy = await startForwardProxy(target => site.url.endsWith(target))
  const before = datagramsSent()
  await render(setup, executable, proxy.server, `${site.url}/`)
  return {
    hits: canaries.hits(),
    datagrams: datagramsSent() - before,
    requested: proxy.requested.map(({ target }) => target),
  }
}

async function render(setup: Setup, executable: Executable, server: string, url: string): Promise<void> {
  const proxyLogin = { username: 'u', password: 'p' }
  if (setup === 'pool') {
    const limits = { size: 1, maxAgeMs: 60_000, maxRssBytes: 4e9, sandbox: false, report: () => {} }
    await using pool = openBrowserPool({ executable, proxy: { server }, ...limits })
    const identity = { locale: 'en-US', viewport: { width: 800, height: 600 } }
    const bounds = { timeoutMs: patient(8_000), maxHtmlBytes: 1e6, picture: true, client: 'test' }
    await pool.render({ url, waitFor: 'networkidle', identity, proxyLogin, ...bounds })
    return
  }
  const folder = fs.mkdtempSync('/tmp/tidemark-ways-out-')
  const settings = { executable, proxy: { server }, sandbox: false, size: 1, folder }
  const options =
    setup === 'bare'
      ? { executablePath: executable.path, env: executable.env, proxy: { server, bypass: 'localhost' } }
      : launchOptions(settings, setup === 'flags' ? proxyBypass : 'localhost')
  const browser = await chromium.launch(options)
  const context = await browser.newContext({
    proxy: { server, bypass: options.proxy?.bypass ?? '', ...proxyLogin },
  })
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'domcontentloaded' })
  await sleep(watchedMs)
  await browser.close()
  fs.rmSync(folder, { recursive: true, force: true })
}

/** Adds loopback, and an address with a default route, so that its packets count as sent. */
function addInterfaces(): void {
  const commands = [
    'link set lo up',
    'link add way0 type veth peer name way1',
    `addr add ${outside}/24 dev way0`,
    'link set way0 up',
    'link set way1 up',
    'route add default via 10.77.0.2',
    'neigh add 10.77.0.2 lladdr 02:00:00:00:00:02 dev way0',
  ]
  for (const command of commands) execFileSync('ip', command.split(' '))
}

async function startCanaries() {
  let hits = 0
  let port = 0
  const servers: net.Server[] = []
  for (const host of ['127.0.0.1', '::1', outside]) {
    const server = net.createServer(socket => {
      hits++
      socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret')
    })
    server.listen(port, host)
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    servers.push(server)
  }
  const close = async () => {
    for (const server of servers) server.close()
  }
  return { port, hits: () => hits, [Symbol.asyncDispose]: close }
}

/** Returns the number of UDP packets that left this namespace, of both IP families. */
function datagramsSent(): number {
  const [names = '', values = ''] = linesOf('/proc/net/snmp').filter(line => line.startsWith('Udp:'))
  const four = Number(values.split(' ')[names.split(' ').indexOf('OutDatagrams')])
  const six = linesOf('/proc/net/snmp6').find(line => line.startsWith('Udp6OutDatagrams')) ?? '0'
  return four + Number(six.split(/\s+/).at(-1))
}

function linesOf(file: string): string[] {
  return fs.readFileSync(file, 'utf8').trim().split('\n')
}
