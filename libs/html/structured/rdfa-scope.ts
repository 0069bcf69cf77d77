/** The declarations of an element for itself and its content: RDFa Core 1.1, 7.5, steps 2 and 3. */
import type { Element } from 'domhandler'
import { declaredBy, type Names } from './rdfa-names.ts'

/** Returns the names inside an element. */
export function namesAt(attribs: Element['attribs'], outer: Names): Names {
  const declared = declarations(attribs)
  const stated = attribs.vocab?.trim()
  if (declared.size === 0 && stated === undefined) return outer
  const prefixes = declared.size === 0 ? outer.prefixes : { own: declared, outer: outer.prefixes }
  const vocab = stated === undefined ? outer.vocab : stated === '' ? null : stated
  return { prefixes, vocab }
}

/** Returns the declared prefixes. `prefix` overrides the older `xmlns:`. */
function declarations(attribs: Element['attribs']): Map<string, string> {
  const declared = new Map<string, string>()
  for (const name in attribs) {
    if (name.startsWith('xmlns:') && name !== 'xmlns:_') declared.set(name.slice(6), attribs[name] ?? '')
  }
  if (attribs.prefix === undefined) return declared
  for (const [name, iri] of declaredBy(attribs.prefix)) declared.set(name, iri)
  return declared
}
