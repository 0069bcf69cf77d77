/** Crates of Rust, from the registry's API (crates.io, "Data Access Policy": `/api/v1/crates/…`). */
import { listAt, numberAt, parseJson, textAt, textsAt } from '../json.ts'
import { defineScraper } from '../scraper.ts'

export const scraper = defineScraper({
  domain: 'crates.io',
  origin: 'https://crates.io',
  routes: [{ path: 'crates/{name}', fetch: '/api/v1/crates/{name}' }],
  names: { name: /^[A-Za-z][\w-]{0,63}$/ },
  dataShape: {
    name: 'name of the crate',
    version: 'the newest stable version, else the newest',
    description: 'one sentence',
    license: 'SPDX expression of that version',
    rust_version: 'the minimum Rust version of that version',
    keywords: 'list of texts',
    categories: 'list of texts',
    homepage: 'address',
    documentation: 'address',
    repository: 'URL of the source code',
    downloads: 'downloads of all versions',
    recent_downloads: 'downloads of the last 90 days',
    created_at: 'time of creation',
    updated_at: 'time of the last change',
    versions: 'list of all published versions, newest first',
  },
  read({ text }) {
    const found = parseJson(text)
    const of = (name: string) => textAt(found, 'crate', name)
    const name = of('name') ?? of('id')
    if (name === null) return null
    const version = of('max_stable_version') ?? of('max_version')
    const versions = listAt(found, 'versions')
    const newest = versions.find(one => textAt(one, 'num') === version)
    return [
      {
        name,
        version,
        description: of('description'),
        license: textAt(newest, 'license'),
        rust_version: textAt(newest, 'rust_version'),
        keywords: textsAt(found, 'crate', 'keywords'),
        categories: listAt(found, 'categories').flatMap(one => textAt(one, 'category') ?? []),
        homepage: of('homepage'),
        documentation: of('documentation'),
        repository: of('repository'),
        downloads: numberAt(found, 'crate', 'downloads'),
        recent_downloads: numberAt(found, 'crate', 'recent_downloads'),
        created_at: of('created_at'),
        updated_at: of('updated_at'),
        versions: versions.flatMap(one => textAt(one, 'num') ?? []),
      },
    ]
  },
})
