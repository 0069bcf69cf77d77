/**
 * Recognizes hosts of the operator: those whose address lies in EGRESS_ALLOW. Many requests there harm no third party,
 * and the operator sets how many they can take.
 */
import net from 'node:net'

/**
 * Returns whether a host, as written in a URL and with its port, is the operator's own. Names other than `localhost`
 * never are, because their address is known only when it is dialled.
 */
export type IsOwn = (host: string) => boolean

/**
 * Returns a function that recognizes the operator's own hosts.
 * @param allow CIDRs or single addresses, in the format of the guard
 */
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
