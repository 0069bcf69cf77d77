/** Where people reach this installation. A request's own Host is not asked: whoever sends it could name any. */

/** Of what it listens on: every address of the machine is, from the machine itself, this one. */
export const listeningUrl = (scheme: 'http' | 'https', host: string, port: number): string => {
  const address = everyAddress[host] ?? host
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`
}

const everyAddress: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

/** Whether only programs of this machine reach a socket that is bound to this address. */
export const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/i.test(address)
