/**
 * Detects a known page under another session id. Only parameters with the name of a session count, because other
 * hashes and ids identify pages.
 */
import type { Address, Parameter } from './address.ts'
import type { TrapMemory } from './memory.ts'

export function knownSession({ seen }: TrapMemory, address: Address): string | null {
  const found = withoutSession(address)
  return found !== null && seen.has(`url ${found.url}`)
    ? `its ${found.where} contains a session id, and the URL without it is known`
    : null
}

export function noteSession({ seen }: TrapMemory, url: string, address: Address): void {
  seen.add(`url ${withoutSession(address)?.url ?? url}`)
}

/** Returns the URL without its session id, and the part that contained the id; null without a session id. */
function withoutSession({ origin, path, query, parameters }: Address): { url: string; where: string } | null {
  let where: string | null = null
  const takenFrom = (part: string): string => {
    where = part
    return ''
  }
  const shorter =
    path.includes(';') || path.includes('(')
      ? path
          .replace(matrixSession, () => takenFrom('path'))
          .replace(cookielessSession, () => takenFrom('path'))
      : path
  const plain = named.test(shorter) ? shorter.replace(namedSegment, () => takenFrom('path')) : shorter
  const kept = parameters.filter(parameter => !isSession(parameter))
  if (kept.length < parameters.length) takenFrom('query')
  if (where === null) return null
  const rest = kept.length < parameters.length ? kept.map(spelled).join('&') : query
  return { url: `${origin}${plain}${rest === '' ? '' : `?${rest}`}`, where }
}

/** Names that always mean a session, and names that may mean one, which require a long random value. */
const certain =
  /^(?:php_?sess_?id|jsession_?id|asp\.?net_sessionid|aspsessionid[a-z]*|oscsid|zenid|xtcsid|cfid|cftoken|session_?id|sess_?id)$/i
const likely = /^(?:sid|s|session|sess|token|sessionkey|sesskey)$/i

const matrixSession = /;(?:jsessionid|phpsessid|sid|session_?id)=[^/;]*/gi
/** Matches `/(S(lit3py55t21z5v55vlm25s55))/`, as ASP.NET writes it. */
const cookielessSession = /\/\([A-Z]\([a-z0-9]{16,}\)\)(?=\/|$)/gi
const named = /\/(?:sid|session|sess|session_?id|phpsessid|jsessionid)[=:_/-]/i
const namedSegment =
  /\/(?:sid|session|sess|session_?id|phpsessid|jsessionid)[=:_/-](?=[^/]*\d)(?=[^/]*[a-z])[a-z0-9]{16,}(?=\/|$)/gi

const isSession = ({ name, value }: Parameter): boolean =>
  certain.test(name) ? value.length >= 8 : likely.test(name) && looksRandom(value)

/** Returns whether a value mixes letters and digits, and has many different characters. */
function looksRandom(value: string): boolean {
  if (value.length < 16 || !/^[\w-]+$/.test(value) || !/\d/.test(value) || !/[a-z]/i.test(value)) return false
  return new Set(value).size >= 8
}

const spelled = ({ name, value }: Parameter): string => (value === '' ? name : `${name}=${value}`)
