/** Compares an answer with the JSON that a document shows for it: names and types, not values. */

/** Marks what a document leaves out with `…`. */
const omitted = '…'

/**
 * Returns the value of documented JSON, in which `…` means further fields or items. Throws if the JSON is not valid.
 */
export const documentedJson = (text: string): unknown =>
  JSON.parse(
    text.replace(/(,?)\s*…\s*([}\]])/g, (_, comma, close) =>
      close === '}' ? `${comma}"${omitted}":0}` : `${comma}"${omitted}"]`,
    ),
  )

/** Returns the differences of an answer from its documented shape. Null fits every type. */
export function misfits(documented: unknown, answer: unknown, at = ''): string[] {
  if (documented === null || answer === null) return []
  if (Array.isArray(documented) !== Array.isArray(answer) || typeof documented !== typeof answer)
    return [`${at || 'the answer'} is ${JSON.stringify(answer)}, not like ${JSON.stringify(documented)}`]
  if (Array.isArray(documented)) return misfitsOfItems(documented, answer as unknown[], at)
  if (typeof documented !== 'object') return []
  const [shown, given] = [documented as Record<string, unknown>, answer as Record<string, unknown>]
  const missing = Object.keys(shown).filter(name => name !== omitted && !Object.hasOwn(given, name))
  const unknown = omitted in shown ? [] : Object.keys(given).filter(name => !Object.hasOwn(shown, name))
  return [
    ...missing.map(name => `${at}/${name} is missing`),
    ...unknown.map(name => `${at}/${name} is not documented`),
    ...Object.keys(shown).flatMap(name =>
      Object.hasOwn(given, name) ? misfits(shown[name], given[name], `${at}/${name}`) : [],
    ),
  ]
}

/** Returns the differences of the documented items. Each documented item must fit one item of the answer. */
const misfitsOfItems = (documented: readonly unknown[], answer: readonly unknown[], at: string): string[] =>
  documented
    .filter(item => item !== omitted)
    .flatMap((item, n) => {
      const found = answer.map(given => misfits(item, given, `${at}[${n}]`))
      if (found.some(differences => differences.length === 0)) return []
      return found[0] ?? [`${at} has no item`]
    })
