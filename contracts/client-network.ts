/**
 * Computes the network of a client, by which limits count. An IPv4 address counts as one household. In IPv6 every
 * household has 2^64 addresses, so only the first 64 bits count. A provider gives a customer up to a /48 (RFC 6177).
 */

/**
 * Returns the IPv4 address, or the first four groups of the IPv6 address. An IPv4 address in IPv6 form (RFC 4291,
 * 2.5.5.2) counts as IPv4.
 */
export function networkOf(ip: string): string {
  const groups = groupsOfIp(ip)
  return typeof groups === 'string' ? groups : `${groups.slice(0, 4).join(':')}::/64`
}

/** Returns the first three groups of an IPv6 address, the largest network of one customer. Null for IPv4. */
export function wideNetworkOf(ip: string): string | null {
  const groups = groupsOfIp(ip)
  return typeof groups === 'string' ? null : `${groups.slice(0, 3).join(':')}::/48`
}

/** Returns the eight groups of an IPv6 address, or an IPv4 address unchanged. */
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

/** Returns groups of 16 bits. A dotted address at the end counts as two groups. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').flatMap(group => (group.includes('.') ? [group, group] : [group]))

const plain = (group: string): string => group.toLowerCase().replace(/^0+(?=.)/, '')
