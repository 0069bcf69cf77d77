/**
 * Networks of clients, for limits: an IPv4 address counts as one household. In IPv6 every household has
 * 2^64, so its first 64 bits are what counts. A provider gives a customer up to a /48 of them (RFC 6177).
 */

/** The IPv4 address, or the first four groups of the IPv6 one; an IPv4 address in IPv6 form (RFC 4291, 2.5.5.2) is itself. */
export function networkOf(ip: string): string {
  const groups = groupsOfIp(ip)
  return typeof groups === 'string' ? groups : `${groups.slice(0, 4).join(':')}::/64`
}

/** The first three groups of an IPv6 address: all that one customer may have. Null for IPv4. */
export function wideNetworkOf(ip: string): string | null {
  const groups = groupsOfIp(ip)
  return typeof groups === 'string' ? null : `${groups.slice(0, 3).join(':')}::/48`
}

/** The eight groups of an IPv6 address; an IPv4 address as it is. */
function groupsOfIp(ip: string): string | string[] {
  const [address = ''] = ip.split('%', 1)
  const mapped = /^::(?:ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::', 2)
  const first = groupsOf(head)
  const last = tail === undefined ? [] : groupsOf(tail)
  const between = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  return [...first, ...Array.from({ length: between }, () => '0'), ...last].map(plain)
}

/** One in dotted form at the end stands for two. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').flatMap(group => (group.includes('.') ? [group, group] : [group]))

const plain = (group: string): string => group.toLowerCase().replace(/^0+(?=.)/, '')
