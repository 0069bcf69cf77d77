/**
 * Which hosts are the operator's own: those whose address lies in what EGRESS_ALLOW names. Nobody else is harmed by
 * many requests there, and whoever crawls them has said how many they bear.
 */
import net from 'node:net'

/** A host as it stands in a URL, port and all. A name is nobody's own: what it leads to is known only when it is dialled. */
export type IsOwn = (host: string) => boolean

/** @param allow CIDRs or single addresses, as the guard takes them */
export function ownNetworks(allow: readonly string[]): IsOwn {
  const own = new net.BlockList()
  for (const range of allow) {
    const [address = '', bits] = range.trim().split('/')
    const family = familyOf(address)
    if (bits === undefined) own.addAddress(address, family)
    else own.addSubnet(address, Number(bits), family)
  }
  return host => {
    const address = addressIn(host)
    return net.isIP(address) !== 0 && own.check(address, familyOf(address))
  }
}

function addressIn(host: string): string {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return name === 'localhost' ? '127.0.0.1' : name
}

const familyOf = (address: string) => (net.isIPv6(address) ? 'ipv6' : 'ipv4')
