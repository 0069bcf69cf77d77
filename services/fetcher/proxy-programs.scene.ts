/** Proxy programs of Debian behind a counting TCP relay. */
import { startMicrosocks, startTinyproxy } from '@tidemark/testing/proxy-programs'
import { startWire, type Wire } from '@tidemark/testing/wire'

const starts = { tinyproxy: startTinyproxy, microsocks: startMicrosocks }

export type ProxyProgramName = keyof typeof starts

export type WiredProxy = AsyncDisposable & { wire: Wire; url: string }

/** Starts a proxy with a login. */
export async function startWiredProxy(name: ProxyProgramName, program: string): Promise<WiredProxy> {
  const proxy = await starts[name](program, { user: 'anna', password: 'secret' })
  const { hostname, port } = new URL(proxy.url)
  const wire = await startWire(Number(port), hostname)
  return {
    wire,
    url: proxy.url.replace(`${hostname}:${port}`, wire.at),
    async [Symbol.asyncDispose]() {
      await wire[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
    },
  }
}
