/**
 * Serves the internal port of a process, for operators only: `/metrics`, and `/livez`, `/startupz` and `/readyz`, which
 * return 200 or 503 with the causes in JSON.
 */
import { createServer, type RequestListener } from 'node:http'
import { openProbes } from './probes.ts'

/**
 * Opens the port. An occupied port is reported but does not stop the process: the scraper sees that its metrics are
 * missing.
 */
export function openInnerPort(port: number, host: string, metrics: RequestListener): void {
  const probes = openProbes()
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    if (path === '/metrics') return metrics(request, response)
    if (!Object.hasOwn(probes, path)) return void response.writeHead(404).end()
    const found = probes[path as keyof typeof probes]()
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    response.writeHead(found.status === 'pass' ? 200 : 503, headers).end(`${JSON.stringify(found)}\n`)
  })
  server.on('error', error => {
    process.stderr.write(
      `METRICS_PORT ${port}: there are no metrics and no probes of this process: ${error.message}\n`,
    )
  })
  server.listen(port, host).unref()
}
