/** Rules of JSON-LD as such: whether it can be read, and whether it says what it speaks of. */
import { typesOf } from '@tidemark/html/structured/json-ld'
import { nameOf } from './described.ts'
import { among, counted, type Rule } from './rule.ts'
import { google, rfc, schemaOrg } from './sources.ts'

const intro = google('structured data', 'appearance/structured-data/intro-structured-data')

export const jsonLdRules: readonly Rule[] = [
  {
    id: 'jsonld/invalid',
    on: 'pages',
    severity: 'error',
    finds: 'A block of JSON-LD that is not JSON (RFC 8259), or holds no object',
    reason: 'Search engines read nothing of it.',
    source: rfc(8259, '2', 'JSON grammar'),
    find: ({ structured: { broken } }) =>
      among(
        broken,
        n =>
          `${counted(n, 'block')} of JSON-LD cannot be read as JSON. Mend ${n === 1 ? 'it' : 'them'} at the place that is told.`,
        ({ block, says }) => `block ${block}: ${says}`,
      ),
  },
  {
    id: 'jsonld/context-missing',
    on: 'pages',
    severity: 'error',
    finds: 'An object of JSON-LD without @context',
    reason: 'Without it names such as Product mean nothing.',
    source: { name: 'W3C: JSON-LD 1.1, the context', url: 'https://www.w3.org/TR/json-ld11/#the-context' },
    find: ({ structured: { roots } }) =>
      among(
        roots.filter(root => !('@context' in root) && !Object.keys(root).some(name => name.includes('://'))),
        n =>
          `${counted(n, 'object')} of JSON-LD ${n === 1 ? 'has' : 'have'} no @context. Add "@context": "https://schema.org".`,
        shown,
      ),
  },
  {
    id: 'jsonld/type-missing',
    on: 'pages',
    severity: 'warning',
    finds: 'An object of JSON-LD that has properties and no @type',
    reason: 'What it describes is not told.',
    source: intro,
    find: ({ structured: { items } }) =>
      among(
        items.filter(
          ({ types, syntax, properties }) =>
            syntax === 'JSON-LD' && types.length === 0 && saysMore(properties),
        ),
        n =>
          `${counted(n, 'object')} of JSON-LD ${n === 1 ? 'has' : 'have'} no @type. Say what is described.`,
        ({ properties }) => shown(properties),
      ),
  },
  {
    id: 'jsonld/type-case',
    on: 'pages',
    severity: 'warning',
    finds: 'A type of schema.org that begins with a small letter',
    reason: 'Names of types begin with a capital and are not known otherwise.',
    source: schemaOrg('docs/gs.html'),
    find: ({ structured: { roots } }) => {
      const types = roots.filter(isSchemaOrg).flatMap(typesOf).map(nameOf)
      return among(
        types.filter(type => /^[a-z][A-Za-z]*$/.test(type)),
        n =>
          `${counted(n, 'type')} of schema.org ${n === 1 ? 'is' : 'are'} written small. Begin with a capital.`,
        type => type,
      )
    },
  },
  {
    id: 'jsonld/too-large',
    on: 'pages',
    severity: 'info',
    finds: 'Structured data beyond what is read here (512 KB of JSON-LD, 100,000 values)',
    reason: 'What is beyond was not audited, and others have limits too.',
    source: intro,
    find: ({ structured: { errors } }) =>
      among(
        errors,
        () => 'There is more structured data than is read; the rest was not audited. Describe less.',
        ({ syntax, reason }) => `${syntax}: ${reason}`,
      ),
  },
]

const isSchemaOrg = (root: Record<string, unknown>): boolean =>
  /schema\.org/i.test(JSON.stringify(root['@context'] ?? '').slice(0, 1000))

const saysMore = (properties: Record<string, unknown>): boolean =>
  Object.keys(properties).some(name => !name.startsWith('@'))

const shown = (node: Record<string, unknown>): string => {
  const types = typesOf(node).join(', ')
  const names = Object.keys(node).filter(name => !name.startsWith('@'))
  return `${types || '(no type)'} {${names.slice(0, 5).join(', ')}}`
}
