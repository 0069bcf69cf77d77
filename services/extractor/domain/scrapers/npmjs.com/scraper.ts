/** Packages of npm, from the registry's API: one document per version (docs of npm/registry, "package version"). */
import { listAt, member, numberAt, parseJson, recordAt, textAt, textsAt } from '../json.ts'
import { defineScraper } from '../scraper.ts'

export const scraper = defineScraper({
  domain: 'npmjs.com',
  origin: 'https://registry.npmjs.org',
  routes: [
    { path: 'package/{name}', fetch: '/{name}/latest' },
    { path: 'package/{name}/v/{version}', fetch: '/{name}/{version}' },
    { path: 'package/@{scope}/{name}', fetch: '/@{scope}/{name}/latest' },
    { path: 'package/@{scope}/{name}/v/{version}', fetch: '/@{scope}/{name}/{version}' },
  ],
  names: {
    // Old packages may have capitals and characters that new names may not have.
    name: /^[A-Za-z0-9~*!'()_-][\w.~*!'()-]{0,213}$/,
    scope: /^[A-Za-z0-9~_-][\w.~-]{0,213}$/,
    version: /^[A-Za-z0-9][\w.+-]{0,99}$/,
  },
  dataShape: {
    name: 'name of the package, with its scope',
    version: 'the version shown: the latest unless the path names one',
    description: 'one sentence',
    keywords: 'list of texts',
    license: 'SPDX expression',
    homepage: 'address',
    repository: 'URL of the source code',
    author: 'name',
    maintainers: 'list of names',
    dependencies: 'range by name',
    peer_dependencies: 'range by name',
    engines: 'range by name',
    deprecated: 'the deprecation message; null if it is not deprecated',
    tarball: 'URL of the archive',
    unpacked_bytes: 'unpacked size',
  },
  read({ text }) {
    const found = parseJson(text)
    const [name, version] = [textAt(found, 'name'), textAt(found, 'version')]
    if (name === null || version === null) return null
    return [
      {
        name,
        version,
        description: textAt(found, 'description'),
        keywords: textsAt(found, 'keywords'),
        license: textAt(found, 'license') ?? textAt(found, 'license', 'type'),
        homepage: textAt(found, 'homepage'),
        repository: textAt(found, 'repository', 'url') ?? textAt(found, 'repository'),
        author: textAt(found, 'author', 'name') ?? textAt(found, 'author'),
        maintainers: namesOf(found),
        dependencies: recordAt(found, 'dependencies'),
        peer_dependencies: recordAt(found, 'peerDependencies'),
        engines: recordAt(found, 'engines'),
        deprecated: textAt(found, 'deprecated'),
        tarball: textAt(found, 'dist', 'tarball'),
        unpacked_bytes: numberAt(found, 'dist', 'unpackedSize'),
      },
    ]
  },
})

function namesOf(found: unknown): string[] | null {
  if (member(found, 'maintainers') === undefined) return null
  return listAt(found, 'maintainers').flatMap(one => textAt(one, 'name') ?? textAt(one) ?? [])
}
