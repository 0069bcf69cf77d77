/** Checks addresses in settings. Each check returns null for a valid text, otherwise the expected form. */
import net from 'node:net'

/** Checks a CIDR or a single address. */
export function rangeFault(text: string): string | null {
  const [base = '', bits, ...rest] = text.split('/')
  const maxBits = { 0: -1, 4: 32, 6: 128 }[net.isIP(base)] ?? -1
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits)
  return maxBits > 0 && isRange && rest.length === 0
    ? null
    : 'must be an address range such as 10.0.0.0/8 or fd00::/8'
}

/** Checks a name server: an address, with a port if it is not 53. */
export function nameServerFault(text: string): string | null {
  const [, six, sixPort] = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(text) ?? []
  const [, four = '', fourPort] = /^([\d.]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  const isAddress = net.isIPv6(six ?? text) || net.isIPv4(four)
  const port = Number(sixPort ?? fourPort ?? 53)
  return isAddress && port > 0 && port <= 65_535
    ? null
    : 'must be the address of a name server such as 9.9.9.9, 10.0.0.2:5353 or [2620:fe::fe]:53'
}

/** Checks the public address of this installation; empty: none. */
export function publicUrlFault(text: string): string | null {
  const isHttp = ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')
  return text === '' || isHttp ? null : 'must be a URL that begins with http:// or https://'
}
