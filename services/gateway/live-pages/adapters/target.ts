/** Checks early whether an address may be requested, or a proxy used, before anything is stored or sent. */
import { FetchError } from '@tidemark/http/fetch-error'
import { createGuard } from '@tidemark/http/guard'
import { refusePort } from '@tidemark/http/ports'
import { readProxy } from '@tidemark/http/proxy'
import { type Resolver, resolverOf } from '@tidemark/http/resolve'
import { judgeTarget, parseTarget } from '@tidemark/http/target'
import { unusable } from '../../http/domain/address.ts'
import { ApiProblem } from '../../http/domain/problem.ts'

type Egress = { EGRESS_ALLOW: string[]; SAMPLE_ORIGIN: string; DNS_SERVERS?: string[] }

/** Timeout of name resolution in ms. A name that takes longer is accepted, and the fetch reports its error. */
const resolveMs = 1_000

/**
 * Returns a function that resolves for an allowed address, and throws `ApiProblem` (`bad_url`, `private_address`) for
 * others.
 */
export function targetJudge(egress: Egress, resolver: Resolver = resolverOf(egress)) {
  const { EGRESS_ALLOW, SAMPLE_ORIGIN } = egress
  const guard = createGuard({ allow: EGRESS_ALLOW, allowPeers: SAMPLE_ORIGIN === '' ? [] : [SAMPLE_ORIGIN] })
  return async (url: string, field = 'url'): Promise<void> => {
    const fault = unusable(url)
    if (fault !== null) throw badUrl(`The address cannot be reached: ${fault}.`, field)
    const refusal = await judgeTarget(guard, parse(url, field), resolver, { timeoutMs: resolveMs })
    if (refusal !== null) throw problemOf(refusal, field)
  }
}

/** Default port of SOCKS proxies. Only proxies may use it. */
const socksPort = 1080

/**
 * Returns a function that checks a client's own proxy, which may use another port than pages, and returns its URL
 * without the password. It throws like `targetJudge`.
 */
export function proxyJudge(egress: Egress, resolver: Resolver = resolverOf(egress)) {
  const guard = createGuard({ allow: egress.EGRESS_ALLOW })
  return async (proxyUrl: string): Promise<string> => {
    const { host, port, shown } = parseProxy(proxyUrl)
    const badPort = port === socksPort ? null : refusePort(port)
    if (badPort !== null) throw badUrl(`The proxy cannot be used: ${badPort}.`, 'proxy_url')
    const target = new URL(`https://${host}/`)
    const refusal = await judgeTarget(guard, target, resolver, { timeoutMs: resolveMs })
    if (refusal !== null) throw problemOf(refusal, 'proxy_url')
    return shown
  }
}

function parseProxy(text: string): ReturnType<typeof readProxy> {
  if (!text.isWellFormed() || /[\p{Cc}\s\\]/u.test(text)) {
    throw badUrl('The proxy cannot be used: it has characters that an address cannot have.', 'proxy_url')
  }
  try {
    return readProxy(text)
  } catch (error) {
    throw problemOf(FetchError.from(error), 'proxy_url')
  }
}

function parse(url: string, field: string): URL {
  try {
    return parseTarget(url)
  } catch (error) {
    throw problemOf(FetchError.from(error), field)
  }
}

const badUrl = (message: string, field: string) =>
  new ApiProblem('invalid_input', { message, reason: 'bad_url', field })

const problemOf = ({ code, message }: FetchError, field: string) =>
  code === 'private_address'
    ? new ApiProblem('invalid_input', { message, reason: 'private_address', field })
    : badUrl(message, field)
