/** Expands the short names in a page to IRIs: RDFa Core 1.1, section 7.4, and the initial context. */

/** Prefixes that are declared around an element. Inner declarations hide outer ones. */
export type Prefixes = { own: ReadonlyMap<string, string>; outer: Prefixes | null }

/** The context in which names are expanded. */
export type Names = {
  prefixes: Prefixes
  /** Vocabulary of names without a prefix, or null if none is declared. */
  vocab: string | null
}

const prefixForm = /(?:^|[\t\n\f\r ])([^:\t\n\f\r ]*):[\t\n\f\r ]+([^\t\n\f\r ]+)/g

/** Reads `prefix="dc: http://… foaf: http://…"` (7.5, step 3). */
export function declaredBy(prefix: string): Map<string, string> {
  const declared = new Map<string, string>()
  for (const [, name = '', iri = ''] of prefix.matchAll(prefixForm)) {
    if (name !== '_') declared.set(name.toLowerCase(), iri)
  }
  return declared
}

/**
 * Returns a term, CURIE or absolute IRI (`property`, `rel`, `rev`, `typeof`, `datatype`) as an IRI or blank node, or
 * null if it has no meaning.
 */
export function nameOf(written: string, { prefixes, vocab }: Names): string | null {
  const colon = written.indexOf(':')
  if (colon !== -1) return curieOf(written, prefixes) ?? (/^[a-z][\w+.-]*:/i.test(written) ? written : null)
  if (!/^[\p{L}_][\p{L}\p{N}\p{M}_./\u00b7-]*$/u.test(written)) return null
  return vocab === null ? (terms.get(written.toLowerCase()) ?? null) : vocab + written
}

/** Returns a CURIE as an IRI or blank node, or null if its prefix is not declared. */
export function curieOf(written: string, prefixes: Prefixes): string | null {
  const colon = written.indexOf(':')
  if (colon === -1 || written.startsWith('//', colon + 1)) return null
  const prefix = written.slice(0, colon)
  if (prefix === '_') return `_:${written.slice(2)}`
  if (prefix === '') return vocabulary + written.slice(1)
  const iri = iriOf(prefix.toLowerCase(), prefixes)
  return iri === null ? null : iri + written.slice(colon + 1)
}

function iriOf(prefix: string, prefixes: Prefixes): string | null {
  for (let scope: Prefixes | null = prefixes; scope !== null; scope = scope.outer) {
    const iri = scope.own.get(prefix)
    if (iri !== undefined) return iri
  }
  return null
}

const vocabulary = 'http://www.w3.org/1999/xhtml/vocab#'

const terms: ReadonlyMap<string, string> = new Map([
  ['describedby', 'http://www.w3.org/2007/05/powder-s#describedby'],
  ['license', `${vocabulary}license`],
  ['role', `${vocabulary}role`],
])

/** https://www.w3.org/2011/rdfa-context/rdfa-1.1 */
const initial: Readonly<Record<string, string>> = {
  as: 'https://www.w3.org/ns/activitystreams#',
  cat: 'http://www.w3.org/ns/dcat#',
  cc: 'http://creativecommons.org/ns#',
  cnt: 'http://www.w3.org/2008/content#',
  csvw: 'http://www.w3.org/ns/csvw#',
  ctag: 'http://commontag.org/ns#',
  dc: 'http://purl.org/dc/terms/',
  dc11: 'http://purl.org/dc/elements/1.1/',
  dcat: 'http://www.w3.org/ns/dcat#',
  dcterms: 'http://purl.org/dc/terms/',
  dqv: 'http://www.w3.org/ns/dqv#',
  duv: 'https://www.w3.org/TR/vocab-duv#',
  earl: 'http://www.w3.org/ns/earl#',
  foaf: 'http://xmlns.com/foaf/0.1/',
  gldp: 'http://www.w3.org/ns/people#',
  gr: 'http://purl.org/goodrelations/v1#',
  grddl: 'http://www.w3.org/2003/g/data-view#',
  ht: 'http://www.w3.org/2006/http#',
  ical: 'http://www.w3.org/2002/12/cal/icaltzd#',
  jsonld: 'http://www.w3.org/ns/json-ld#',
  ldp: 'http://www.w3.org/ns/ldp#',
  ma: 'http://www.w3.org/ns/ma-ont#',
  oa: 'http://www.w3.org/ns/oa#',
  odrl: 'http://www.w3.org/ns/odrl/2/',
  og: 'http://ogp.me/ns#',
  org: 'http://www.w3.org/ns/org#',
  owl: 'http://www.w3.org/2002/07/owl#',
  prov: 'http://www.w3.org/ns/prov#',
  ptr: 'http://www.w3.org/2009/pointers#',
  qb: 'http://purl.org/linked-data/cube#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfa: 'http://www.w3.org/ns/rdfa#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  rev: 'http://purl.org/stuff/rev#',
  rif: 'http://www.w3.org/2007/rif#',
  rr: 'http://www.w3.org/ns/r2rml#',
  schema: 'http://schema.org/',
  sd: 'http://www.w3.org/ns/sparql-service-description#',
  sioc: 'http://rdfs.org/sioc/ns#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  skosxl: 'http://www.w3.org/2008/05/skos-xl#',
  sosa: 'http://www.w3.org/ns/sosa/',
  ssn: 'http://www.w3.org/ns/ssn/',
  time: 'http://www.w3.org/2006/time#',
  v: 'http://rdf.data-vocabulary.org/#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  void: 'http://rdfs.org/ns/void#',
  wdr: 'http://www.w3.org/2007/05/powder#',
  wdrs: 'http://www.w3.org/2007/05/powder-s#',
  xhv: vocabulary,
  xml: 'http://www.w3.org/XML/1998/namespace',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
}

export const initialNames: Names = {
  prefixes: { own: new Map(Object.entries(initial)), outer: null },
  vocab: null,
}
