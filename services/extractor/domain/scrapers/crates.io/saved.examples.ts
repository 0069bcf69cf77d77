/** Documents in the shape of the Rust registry's. */
import type { Saved } from '../saved.examples.ts'

export const saved: Saved = {
  full: {
    path: 'crates/tide_table',
    url: 'https://crates.io/api/v1/crates/tide_table',
    page: JSON.stringify({
      crate: {
        id: 'tide_table',
        name: 'tide_table',
        description: 'Knows the moon.',
        keywords: ['tide'],
        homepage: 'https://harbour.test/',
        documentation: 'https://docs.test/tide_table',
        repository: 'https://git.test/tide_table',
        max_version: '2.0.0-rc.1',
        max_stable_version: '1.4.2',
        downloads: 123456,
        recent_downloads: 789,
        created_at: '2020-01-02T03:04:05Z',
        updated_at: '2026-01-02T03:04:05Z',
      },
      versions: [
        { num: '2.0.0-rc.1', license: 'MIT' },
        { num: '1.4.2', license: 'MIT OR Apache-2.0', rust_version: '1.80' },
      ],
      keywords: [{ id: 'tide' }],
      categories: [{ id: 'science', category: 'Science' }],
    }),
    data: [
      {
        name: 'tide_table',
        version: '1.4.2',
        description: 'Knows the moon.',
        license: 'MIT OR Apache-2.0',
        rust_version: '1.80',
        keywords: ['tide'],
        categories: ['Science'],
        homepage: 'https://harbour.test/',
        documentation: 'https://docs.test/tide_table',
        repository: 'https://git.test/tide_table',
        downloads: 123456,
        recent_downloads: 789,
        created_at: '2020-01-02T03:04:05Z',
        updated_at: '2026-01-02T03:04:05Z',
        versions: ['2.0.0-rc.1', '1.4.2'],
      },
    ],
  },
  partial: {
    path: 'crates/buoy',
    url: 'https://crates.io/api/v1/crates/buoy',
    page: '<html><body><pre style="white-space: pre-wrap">{"crate":{"id":"buoy","max_version":"0.1.0"}}</pre></body></html>',
    data: [{ name: 'buoy', version: '0.1.0', categories: [], versions: [] }],
  },
  other: '{"errors":[{"detail":"crate `x` does not exist"}]}',
  refused: ['crates', 'crates/9lives', 'crates/a/b', 'api/v1/crates/buoy', 'crates/a.b'],
}
