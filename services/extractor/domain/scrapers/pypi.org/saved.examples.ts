/** Documents in the shape of the Python Package Index's. */
import type { Saved } from '../saved.examples.ts'

const file = {
  filename: 'tidetable-2.0-py3-none-any.whl',
  packagetype: 'bdist_wheel',
  size: 2048,
  url: 'https://files.test/tidetable-2.0-py3-none-any.whl',
  upload_time_iso_8601: '2026-01-02T03:04:05.678901Z',
}

export const saved: Saved = {
  full: {
    path: 'project/tidetable',
    url: 'https://pypi.org/pypi/tidetable/json',
    page: JSON.stringify({
      info: {
        name: 'tidetable',
        version: '2.0',
        summary: 'When the water is high.',
        license: 'see LICENSE',
        license_expression: 'Apache-2.0',
        author: 'Ada Keel',
        author_email: 'ada@harbour.test',
        home_page: 'https://harbour.test/',
        project_urls: { Source: 'https://git.test/tidetable' },
        keywords: 'tide,moon',
        classifiers: ['Topic :: Water'],
        requires_python: '>=3.10',
        requires_dist: ['moon>=2'],
        yanked: false,
      },
      last_serial: 7,
      releases: { '1.0': [], '2.0': [file] },
      urls: [file],
    }),
    data: [
      {
        name: 'tidetable',
        version: '2.0',
        summary: 'When the water is high.',
        license: 'Apache-2.0',
        author: 'Ada Keel',
        author_email: 'ada@harbour.test',
        home_page: 'https://harbour.test/',
        urls: { Source: 'https://git.test/tidetable' },
        keywords: 'tide,moon',
        classifiers: ['Topic :: Water'],
        requires_python: '>=3.10',
        requires: ['moon>=2'],
        yanked: false,
        uploaded_at: '2026-01-02T03:04:05.678901Z',
        files: [
          {
            name: 'tidetable-2.0-py3-none-any.whl',
            type: 'bdist_wheel',
            bytes: 2048,
            url: 'https://files.test/tidetable-2.0-py3-none-any.whl',
          },
        ],
      },
    ],
  },
  partial: {
    path: 'project/buoy/1!0.1',
    url: 'https://pypi.org/pypi/buoy/1!0.1/json',
    page: '{"info":{"name":"buoy","version":"0.1","license":"MIT","author":"","requires_dist":null},"urls":[',
    data: [{ name: 'buoy', version: '0.1', license: 'MIT', files: [] }],
  },
  other: '{"message":"Not Found"}',
  refused: [
    'project',
    'project/-buoy',
    'project/buoy-',
    'simple/buoy',
    'project/buoy/1.0/more',
    'project/bu oy',
  ],
}
