/**
 * Opens connections through a proxy. `dial` judges and dials the address of the proxy. The target is resolved and
 * judged here as if it were dialled directly. The proxy receives the judged address and never a name, so it has
 * nothing to resolve and reaches no forbidden address.
 */
import type net from 'node:net'
import { ByteReader } from '../byte-reader.ts'
import { type Connect, judgedAddresses } from '../connect.ts'
import type { Secure } from '../connection/secure.ts'
import { FetchError } from '../fetch-error.ts'
import type { Guard } from '../guard.ts'
import { inTime } from '../limit.ts'
import type { ProxyScheme, ProxyServer } from '../proxy.ts'
import type { Address, Resolver } from '../resolve.ts'
import { connectByHttp, connectBySocks, type Handshake } from './proxy-handshakes.ts'
import { proxyError } from './proxy-refusal.ts'

type Route = {
  proxy: ProxyServer
  /** Connects to the proxy itself. */
  dial: Connect
  /** Encrypts the connection to an https proxy. */
  secure: Secure
  /** Judges the target behind the proxy. */
  guard: Guard
  resolver: Resolver
  /** Milliseconds for resolving, the connection to the proxy and its response together. */
  timeoutMs: number
}

const handshakes: Record<ProxyScheme, Handshake> = {
  http: connectByHttp,
  https: connectByHttp,
  socks5: connectBySocks,
}

/** Maximum addresses of a target that are tried, if the proxy cannot reach the first. */
const maxAddresses = 3

/**
 * Returns a function that connects through the proxy. It rejects like `Connect`, or with `proxy` if the proxy fails.
 */
export function createProxiedConnect(route: Route): Connect {
  return async (host, port) => {
    const target = `${host}:${port}`
    const deadline = performance.now() + route.timeoutMs
    const addresses = byFamily(await judgedAddresses(route, host, port)).slice(0, maxAddresses)
    for (const [at, { address }] of addresses.entries()) {
      try {
        return await through(route, { address, port, target }, deadline)
      } catch (error) {
        const isLast = at === addresses.length - 1
        if (isLast || FetchError.from(error).code !== 'connect') throw error
      }
    }
    throw new FetchError('dns', { because: host, target })
  }
}

/** Returns IPv4 addresses first, because most proxies have no IPv6 connectivity. */
const byFamily = (addresses: Address[]): Address[] =>
  addresses.toSorted((one, other) => one.family - other.family)

type Wanted = { address: string; port: number; target: string }

async function through(route: Route, wanted: Wanted, deadline: number): Promise<net.Socket> {
  const { proxy } = route
  const left = () => Math.max(0, deadline - performance.now())
  const arriving = reach(route)
  try {
    const socket = await inTime(left(), proxy.shown, arriving)
    await inTime(left(), proxy.shown, request(socket, proxy, wanted))
    return socket
  } catch (cause) {
    // The connection is closed even if it opens after the caller has stopped waiting.
    arriving.then(
      socket => socket.destroy(),
      () => {},
    )
    throw proxyError(proxy.shown, wanted.target, cause)
  }
}

async function reach({ proxy, dial, secure }: Route): Promise<net.Socket> {
  const socket = await dial(proxy.host, proxy.port)
  return proxy.scheme === 'https' ? (await secure(socket, proxy.host, proxy.port)).socket : socket
}

async function request(socket: net.Socket, { scheme, login }: ProxyServer, wanted: Wanted): Promise<void> {
  const read = new ByteReader(socket)
  await handshakes[scheme]({ ...wanted, login }, bytes => socket.write(bytes), read)
  read.release()
}
