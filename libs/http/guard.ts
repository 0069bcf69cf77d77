/**
 * Decides where outgoing connections may go: to public addresses, and to those that the operator has allowed. It
 * judges numeric addresses, after resolution and before dialling, and rejects everything that it cannot parse. Before
 * resolution it rejects the names of metadata services. Registry: IANA special-purpose addresses (RFC 6890), from
 * ipaddr.js.
 */
import net from 'node:net'
import os from 'node:os'
import ipaddr from 'ipaddr.js'
import { refuseHost } from './metadata-hosts.ts'
import { refusePort } from './ports.ts'

export type Refusal = { code: 'private_address' | 'bad_url'; because: string }

export type Guard = {
  /** Returns why no connection to this address and port may be made; null: it is allowed. */
  judge(address: string, port: number): Refusal | null
  /** Returns why no connection to this port may be made at any address; null: it is allowed. */
  judgePort(port: number): Refusal | null
  /**
   * Returns why no connection to this host may be made at any address; null: it is allowed. `allow` has no effect on
   * it.
   */
  judgeHost(host: string): Refusal | null
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

// Ranges that are public according to the registry, but never contain a web site.
const denied: [Range, string][] = [
  [ipaddr.parseCIDR('168.63.129.16/32'), 'the wire server of a cloud provider'],
]

// IANA has allocated only this block of IPv6. Other addresses are not public, even without an entry in the registry.
const globalUnicast = ipaddr.parseCIDR('2000::/3')
const nat64 = ipaddr.parseCIDR('64:ff9b::/96')

export type GuardSettings = {
  /** CIDRs or single addresses that are reachable although not public. Ports are still judged. */
  allow: string[]
  /**
   * Exact `address:port` (`[address]:port` for IPv6) that are reachable until `closePeers`, without their neighbours.
   */
  allowPeers?: string[]
  /** Addresses of this machine. They may be public, but their services are not for customers. */
  own?: string[]
}

/**
 * Returns a guard.
 * @throws Error that names the invalid entry
 */
export function createGuard({ allow, allowPeers = [], own = ownAddresses() }: GuardSettings): Guard {
  const allowed = allow.map(readRange)
  const peers = new Set(allowPeers.map(readPeer))
  const ours = new Set(own.map(text => String(readAddress(text))))

  function judge(text: string, port: number): Refusal | null {
    const badPort = judgePort(port)
    if (badPort) return badPort
    const address = readAddress(text)
    if (!address) return privateAddress(`${text} is not a plain address`)
    if (allowed.some(range => within(address, range))) return null
    if (!arePeersClosed && peers.has(`${address} ${port}`)) return null
    const isOwn = ours.has(String(address))
    return judgePublic(address) ?? (isOwn ? privateAddress(`${address} is an address of this machine`) : null)
  }

  return { judge, judgePort, judgeHost }
}

let arePeersClosed = false

/**
 * Makes the peers that were allowed by `address:port` unreachable for the rest of this process. Allowed ranges stay
 * reachable.
 */
export function closePeers(): void {
  arePeersClosed = true
}

function ownAddresses(): string[] {
  const interfaces = Object.values(os.networkInterfaces()).flatMap(addresses => addresses ?? [])
  return interfaces.map(({ address }) => address)
}

function judgePort(port: number): Refusal | null {
  const because = refusePort(port)
  return because ? { code: 'bad_url', because } : null
}

function judgeHost(host: string): Refusal | null {
  const because = refuseHost(host)
  return because ? privateAddress(because) : null
}

function judgePublic(address: Address): Refusal | null {
  const hit = denied.find(([range]) => within(address, range))
  if (hit) return privateAddress(`${address} is ${hit[1]}`)
  const range = address.range()
  if (range !== 'unicast') return privateAddress(`${address} is ${range}`)
  if (address.kind() === 'ipv6' && !within(address, globalUnicast)) {
    return privateAddress(`${address} is not assigned`)
  }
  return null
}

const privateAddress = (because: string): Refusal => ({ code: 'private_address', because })

/**
 * Parses the address that a socket would dial. An address that only wraps an IPv4 one (mapped, or NAT64 by RFC 6052)
 * is judged as the inner one. Other wrappers (6to4, Teredo, translated, local NAT64) are rejected as not unicast.
 * Zone ids refer to a link of this machine and are invalid.
 */
function readAddress(text: string): Address | null {
  if (net.isIP(text) === 0 || text.includes('%')) return null
  const address = ipaddr.process(inHex(text))
  return within(address, nat64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

// ipaddr.js parses `::8.8.8.8` as the mapped `::ffff:8.8.8.8`, unlike a socket. In hexadecimal form they differ.
function inHex(text: string): string {
  return net.isIPv6(text) ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : text
}

function within(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

function readRange(text: string): Range {
  const [base = '', bits, ...rest] = text.trim().split('/')
  try {
    if (net.isIP(base) === 0 || rest.length > 0) throw new Error('no address')
    return ipaddr.parseCIDR(`${base}/${bits ?? (net.isIPv4(base) ? 32 : 128)}`)
  } catch (cause) {
    throw new Error(`"${text}" is not an address range such as 10.0.0.0/8 or fd00::/8`, { cause })
  }
}

function readPeer(text: string): string {
  const colon = text.lastIndexOf(':')
  const address = readAddress(text.slice(0, colon).replace(/^\[|\]$/g, ''))
  const port = Number(text.slice(colon + 1))
  if (!address || !Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`"${text}" is not an address and port such as 127.0.0.1:8081`)
  }
  return `${address} ${port}`
}
