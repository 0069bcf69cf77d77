/** A program that renders a page which never ends, prints its browser's pid, and waits to be killed. */
import { startForwardProxy, startSite } from './browser.scene.ts'
import { openBrowserPool } from './pool.ts'

await using site = await startSite({ '/': '<script>setTimeout(() => { while (1); }, 300)</script>' })
await using proxy = await startForwardProxy()
const executable = JSON.parse(process.argv[2] ?? '{}')
const limits = { size: 1, maxAgeMs: 60_000, maxRssBytes: 4e9, sandbox: false, report: () => {} }
await using pool = openBrowserPool({ executable, proxy, ...limits })
const job = {
  identity: { locale: 'en-US', viewport: { width: 800, height: 600 } },
  client: 'test',
  picture: false,
}
const proxyLogin = { username: 'u', password: 'p' }
const rendered = pool.render({
  ...job,
  url: site.url,
  waitFor: 'networkidle',
  timeoutMs: 60_000,
  maxHtmlBytes: 1e6,
  proxyLogin,
})
setTimeout(() => process.stdout.write(`${pool.state().browsers[0]?.pid}\n`), 2_000)
await rendered
