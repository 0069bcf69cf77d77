/**
 * Opens all outgoing connections, in a fixed order: judge the host, resolve it once, judge every address, dial the
 * judged addresses. No name is resolved a second time, so a name that changes between judging and dialling (DNS
 * rebinding) has no effect.
 */
import net from 'node:net'
import { FetchError } from './fetch-error.ts'
import type { Guard } from './guard.ts'
import { inTime } from './limit.ts'
import { type Address, addressesOf, type Resolver } from './resolve.ts'
import { refusedAt } from './target.ts'

/** Opens a TCP connection, or rejects with a FetchError: private_address, bad_url, dns, connect, timeout. */
export type Connect = (host: string, port: number) => Promise<net.Socket>

const maxAddresses = 8
const nextAddressAfterMs = 400

/** Returns a function that opens guarded connections. `timeoutMs` limits resolving and connecting together. */
export function createConnect(route: Route): Connect {
  return async (host, port) => {
    const deadline = performance.now() + route.timeoutMs
    const addresses = await judgedAddresses(route, host, port)
    return dial(host, port, addresses.slice(0, maxAddresses), deadline - performance.now())
  }
}

type Route = { guard: Guard; resolver: Resolver; timeoutMs: number }

/**
 * Returns the addresses of a host, all of which may be dialled.
 * @throws FetchError: private_address and bad_url if one of them may not be dialled, dns, timeout
 */
export async function judgedAddresses(
  { guard, resolver, timeoutMs }: Route,
  host: string,
  port: number,
): Promise<Address[]> {
  const target = `${host}:${port}`
  const refused = guard.judgePort(port) ?? guard.judgeHost(host)
  if (refused) throw new FetchError(refused.code, { because: refused.because, target })
  const addresses = await inTime(timeoutMs, target, addressesOf(host, resolver))
  for (const { address } of addresses) {
    const refusal = guard.judge(address, port)
    if (refusal) throw refusedAt(host, refusal, target)
  }
  return addresses
}

/**
 * Connects to the first address that responds. The next one is tried when one fails or is slow. Node makes the
 * attempts (in the spirit of RFC 8305) with these addresses, because the lookup function returns them without DNS.
 */
function dial(host: string, port: number, addresses: Address[], timeoutMs: number): Promise<net.Socket> {
  const [only, ...others] = addresses
  const socket = net.connect({
    host: others.length === 0 && only ? only.address : 'judged.invalid',
    port,
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    lookup: (_name, _options, respond) => respond(null, addresses),
  })
  const connected = new Promise<net.Socket>((resolve, reject) => {
    socket.once('connect', () => resolve(socket))
    // Stays for the life of the socket: an error while no owner listens must not end the process.
    socket.on('error', cause => reject(connectError(`${host}:${port}`, cause)))
  })
  return inTime(timeoutMs, `${host}:${port}`, connected).catch(error => {
    socket.destroy()
    throw error
  })
}

function connectError(target: string, cause: unknown): FetchError {
  const { code, transient } = FetchError.from(cause)
  if (code === 'timeout') return new FetchError('timeout', { because: target, cause, target })
  return new FetchError('connect', {
    because: reasons(cause),
    cause,
    target,
    transient: code !== 'connect' || transient,
  })
}

/** Returns the error of each address, because Node's own error for several addresses has no details. */
const reasons = (cause: unknown): string =>
  (cause instanceof AggregateError ? cause.errors : [cause])
    .map(error => (error instanceof Error ? error.message : String(error)))
    .join('; ')
