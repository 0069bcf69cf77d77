/**
 * Parses a proxy address: `http://`, `https://` or `socks5://`, with or without user and password. Messages and logs
 * contain only `shown`, which has no password.
 */
import { FetchError } from './fetch-error.ts'

export type ProxyScheme = 'http' | 'https' | 'socks5'

export type ProxyServer = {
  scheme: ProxyScheme
  /** As in a URL, with IPv6 in brackets. */
  host: string
  port: number
  /** The decoded user and password; null: the address has no user. */
  login: { user: string; password: string } | null
  /** The address without its password. */
  shown: string
  /** Identifies the proxy and its login. It contains the secret, so it is only for keys of maps. */
  key: string
}

const defaultPorts: Record<ProxyScheme, number> = { http: 80, https: 443, socks5: 1080 }

/** RFC 1929 has one byte for the length of each. */
const maxSocksWordLength = 255

/**
 * Returns the proxy at an address. Hosts are parsed by the rules of web addresses for every scheme, so that decimal
 * and hexadecimal forms become the addresses that they mean.
 * @throws FetchError `bad_url`, whose message does not contain the address
 */
export function readProxy(text: string): ProxyServer {
  const [, word = '', rest = ''] = /^([a-z0-9]+):\/\/(.*)$/i.exec(text.trim()) ?? []
  const scheme = schemeOf(word)
  const url = URL.parse(`http://${rest}`)
  if (url === null) throw bad('its address cannot be read')
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') throw bad('something follows its port')
  const login = loginOf(url, scheme)
  // Parsed as http the URL loses port 80, which it keeps as https.
  const stated = url.port || URL.parse(`https://${rest}`)?.port || ''
  const port = stated === '' ? defaultPorts[scheme] : Number(stated)
  const user = login ? `${encodeURIComponent(login.user)}${login.password && ':***'}@` : ''
  return {
    scheme,
    host: url.hostname,
    port,
    login,
    shown: `${scheme}://${user}${url.hostname}:${port}`,
    key: JSON.stringify([scheme, url.hostname, port, login]),
  }
}

function schemeOf(word: string): ProxyScheme {
  const scheme = word.toLowerCase()
  if (scheme === 'http' || scheme === 'https' || scheme === 'socks5') return scheme
  throw bad('it must begin with http://, https:// or socks5://')
}

function loginOf({ username, password }: URL, scheme: ProxyScheme): ProxyServer['login'] {
  if (username === '' && password === '') return null
  const login = { user: decoded(username), password: decoded(password) }
  const isTooLong = Object.values(login).some(word => Buffer.byteLength(word) > maxSocksWordLength)
  if (scheme === 'socks5' && isTooLong)
    throw bad(`user and password may have ${maxSocksWordLength} bytes each`)
  return login
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    throw bad('its user or password has a % that begins no escape')
  }
}

const bad = (because: string) => new FetchError('bad_url', { sentence: 'The proxy cannot be used.', because })
