/** Documents in the shape of the npm registry's. */
import type { Saved } from '../saved.examples.ts'

export const saved: Saved = {
  full: {
    path: 'package/@harbour/tide-table',
    url: 'https://registry.npmjs.org/@harbour/tide-table/latest',
    page: JSON.stringify({
      name: '@harbour/tide-table',
      version: '3.1.0',
      description: 'Tells when the water is high.',
      keywords: ['tide', 'harbour'],
      license: 'MIT',
      homepage: 'https://harbour.test/tide-table',
      repository: { type: 'git', url: 'git+https://git.test/harbour/tide-table.git' },
      author: { name: 'Ada Keel', email: 'ada@harbour.test' },
      maintainers: [{ name: 'ada' }, { name: 'ben', email: 'ben@harbour.test' }],
      dependencies: { moon: '^2.0.0' },
      peerDependencies: { sun: '>=1' },
      engines: { node: '>=20' },
      deprecated: 'Use @harbour/tides.',
      dist: {
        tarball: 'https://registry.npmjs.org/@harbour/tide-table/-/tide-table-3.1.0.tgz',
        unpackedSize: 5120,
      },
    }),
    data: [
      {
        name: '@harbour/tide-table',
        version: '3.1.0',
        description: 'Tells when the water is high.',
        keywords: ['tide', 'harbour'],
        license: 'MIT',
        homepage: 'https://harbour.test/tide-table',
        repository: 'git+https://git.test/harbour/tide-table.git',
        author: 'Ada Keel',
        maintainers: ['ada', 'ben'],
        dependencies: { moon: '^2.0.0' },
        peer_dependencies: { sun: '>=1' },
        engines: { node: '>=20' },
        deprecated: 'Use @harbour/tides.',
        tarball: 'https://registry.npmjs.org/@harbour/tide-table/-/tide-table-3.1.0.tgz',
        unpacked_bytes: 5120,
      },
    ],
  },
  partial: {
    path: 'package/buoy/v/0.0.1',
    url: 'https://registry.npmjs.org/buoy/0.0.1',
    page: '{"name":"buoy","version":"0.0.1","keywords":"none","dist":null,"license":{"type":"BSD"}}',
    data: [{ name: 'buoy', version: '0.0.1', license: 'BSD' }],
  },
  other: '"Not Found"',
  refused: [
    'package',
    'package/',
    'package/@harbour',
    'package/Ｂuoy',
    'package/.hidden',
    'package/a/v/',
    'buoy',
  ],
}
