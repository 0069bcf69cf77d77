/** Rules for JSON-LD: syntax, context and types. */
import { nameOfType, typesOf } from '@tidemark/html/structured/json-ld'
import { among, type Rule } from './rule.ts'
import { google, rfc, schemaOrg } from './sources.ts'

const intro = google('structured data', 'appearance/structured-data/intro-structured-data')

export const jsonLdRules: readonly Rule[] = [
  {
    id: 'jsonld/invalid',
    severity: 'error',
    finds: 'A block of JSON-LD that is not JSON (RFC 8259) or contains no object',
    reason: 'Search engines ignore the whole block.',
    source: rfc(8259, '2', 'JSON grammar'),
    find: ({ structured: { broken } }) =>
      among(
        broken,
        {
          one: '1 block of JSON-LD is not valid JSON.',
          many: '{n} blocks of JSON-LD are not valid JSON.',
          remedy: {
            one: 'Correct it at the reported position.',
            many: 'Correct them at the reported positions.',
          },
        },
        ({ block, message }) => `block ${block}: ${message}`,
      ),
  },
  {
    id: 'jsonld/context-missing',
    severity: 'error',
    finds: 'An object of JSON-LD without @context',
    reason: 'Without it names such as Product have no meaning.',
    source: { name: 'W3C: JSON-LD 1.1, the context', url: 'https://www.w3.org/TR/json-ld11/#the-context' },
    find: ({ structured: { roots } }) =>
      among(
        roots.filter(root => !('@context' in root) && !Object.keys(root).some(name => name.includes('://'))),
        {
          one: '1 object of JSON-LD has no @context.',
          many: '{n} objects of JSON-LD have no @context.',
          remedy: 'Add "@context": "https://schema.org".',
        },
        shown,
      ),
  },
  {
    id: 'jsonld/type-missing',
    severity: 'warning',
    finds: 'An object of JSON-LD with properties but without @type',
    reason: 'Its type is unknown.',
    source: intro,
    find: ({ structured: { items } }) =>
      among(
        items.filter(
          ({ types, syntax, properties }) =>
            syntax === 'JSON-LD' && types.length === 0 && hasContent(properties),
        ),
        {
          one: '1 object of JSON-LD has no @type.',
          many: '{n} objects of JSON-LD have no @type.',
          remedy: 'State the type.',
        },
        ({ properties }) => shown(properties),
      ),
  },
  {
    id: 'jsonld/type-case',
    severity: 'warning',
    finds: 'A schema.org type that begins with a lower-case letter',
    reason: 'Type names are case-sensitive and begin with a capital letter.',
    source: schemaOrg('docs/gs.html'),
    find: ({ structured: { roots } }) => {
      const types = roots.filter(isSchemaOrg).flatMap(typesOf).map(nameOfType)
      return among(
        types.filter(type => /^[a-z][A-Za-z]*$/.test(type)),
        {
          one: '1 schema.org type begins with a lower-case letter.',
          many: '{n} schema.org types begin with a lower-case letter.',
          remedy: 'Use a capital letter.',
        },
      )
    },
  },
  {
    id: 'jsonld/too-large',
    severity: 'info',
    finds: 'Structured data beyond the limits of this service (512 KB of JSON-LD, 100,000 values)',
    reason: 'The rest was not audited, and other services have limits too.',
    source: intro,
    find: ({ structured: { errors } }) =>
      among(
        errors,
        {
          many: 'The structured data exceeds the limits of this service, and the rest was not audited.',
          remedy: 'Reduce it.',
        },
        ({ syntax, reason }) => `${syntax}: ${reason}`,
      ),
  },
]

const isSchemaOrg = (root: Record<string, unknown>): boolean =>
  /schema\.org/i.test(JSON.stringify(root['@context'] ?? '').slice(0, 1000))

const hasContent = (properties: Record<string, unknown>): boolean =>
  Object.keys(properties).some(name => !name.startsWith('@'))

const shown = (node: Record<string, unknown>): string => {
  const types = typesOf(node).join(', ')
  const all = Object.keys(node)
  const own = all.filter(name => !name.startsWith('@'))
  const names = own.length > 0 ? own : all
  return `${types || '(no type)'} {${names.slice(0, 5).join(', ')}}`
}
