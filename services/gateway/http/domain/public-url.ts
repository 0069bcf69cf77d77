/** The public address of this installation. It ignores the Host header, because clients can send any. */

/** Returns the URL of a listening socket. A wildcard address becomes the loopback address. */
export const listeningUrl = (scheme: 'http' | 'https', host: string, port: number): string => {
  const address = everyAddress[host] ?? host
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`
}

const everyAddress: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

/** Returns whether only programs on this machine can reach a socket that is bound to this address. */
export const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/i.test(address)
