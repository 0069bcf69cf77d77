/**
 * An S3 store for tests: OpenStack Swift of Debian with its own S3 interface. It checks signatures and hashes, lists
 * and stores objects like one in production, and acknowledged objects survive `kill`.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { AwsClient } from 'aws4fetch'
import { needed, run, type Throwaway, throwaway } from './servers.ts'

export type ObjectStore = Throwaway & {
  /** The settings for clients of its bucket. */
  env: Record<(typeof names)[number], string>
  /** Returns the names of all objects in the bucket. */
  names(): Promise<string[]>
  /** Removes an object without the code under test. */
  remove(name: string): Promise<void>
  /** Returns an object without the code under test. */
  read(name: string): Promise<Buffer>
  /** Stores an object under any name, without the code under test. */
  put(name: string, text: string): Promise<void>
}

const names = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
const region = 'us-east-1'
const bucket = 'tidemark'
const [account, user, secret] = ['test', 'bodies', 'a-secret-of-nobody']
const listedAtOnce = 1000

/** Starts it with an empty bucket. Needs the folder of `TEST_SWIFT`, and the python3 of Debian. */
export async function startObjectStore(): Promise<ObjectStore> {
  const program = needed('TEST_SWIFT')
  const store = await throwaway(
    'http',
    'GET /info HTTP/1.1\r\nHost: x\r\n\r\n',
    /^HTTP\/1.1 /,
    async (dir, port) => {
      await configure(dir)
      const multiarch = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
      const script = path.join(import.meta.dirname, 'object-store.py')
      return run(['/usr/bin/python3', script, path.join(dir, 'swift'), String(port)], {
        PYTHONPATH: path.join(program, 'usr/lib/python3/dist-packages'),
        LD_LIBRARY_PATH: path.join(program, 'usr/lib', multiarch),
        PYTHONNOUSERSITE: '1',
        EVENTLET_NO_GREENDNS: 'yes', // it takes seconds to load, and no names are resolved
      })
    },
  )
  const keys = { accessKeyId: `${account}:${user}`, secretAccessKey: secret }
  const client = new AwsClient({ ...keys, region, service: 's3', retries: 0 })
  const root = `${store.url}/${bucket}`
  const must = async (method: string, url: string, body?: string) => {
    const response = await client.fetch(url, { method, ...(body !== undefined && { body }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`)
    return text
  }
  await must('PUT', root)
  return {
    ...store,
    env: {
      S3_ENDPOINT: store.url,
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: keys.accessKeyId,
      S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
    async names() {
      const found: string[] = []
      for (;;) {
        const after = encodeURIComponent(found.at(-1) ?? '')
        const listed = await must('GET', `${root}?list-type=2&max-keys=${listedAtOnce}&start-after=${after}`)
        const more = [...listed.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = '']) => name)
        found.push(...more)
        if (more.length < listedAtOnce) return found
      }
    },
    async read(name) {
      const response = await client.fetch(`${root}/${name}`)
      if (!response.ok) throw new Error(`GET ${name} answered ${response.status}`)
      return Buffer.from(await response.arrayBuffer())
    },
    remove: async name => void (await must('DELETE', `${root}/${name}`)),
    put: async (name, text) => void (await must('PUT', `${root}/${name}`, text)),
  }
}

async function configure(dir: string): Promise<void> {
  const folder = path.join(dir, 'swift')
  await fs.mkdir(path.join(dir, 'disks/disk'), { recursive: true })
  await fs.mkdir(folder, { recursive: true })
  const disks = [`devices = ${path.join(dir, 'disks')}`, 'mount_check = false', 'disable_fallocate = true']
  const common = ['[DEFAULT]', `swift_dir = ${folder}`, ...disks]
  const filter = (name: string, ...lines: string[]) => [
    `[filter:${name}]`,
    `use = egg:swift#${name}`,
    ...lines,
  ]
  const files: Record<string, string[]> = {
    swift: [
      '[swift-hash]',
      'swift_hash_path_suffix = tidemark',
      '[storage-policy:0]',
      'name = one',
      'default = yes',
    ],
    proxy: [
      ...[...common, '[pipeline:main]', 'pipeline = catch_errors s3api tempauth copy slo proxy-server'],
      ...filter('catch_errors'),
      ...filter('s3api', `location = ${region}`),
      ...filter('tempauth', `user_${account}_${user} = ${secret} .admin`),
      ...filter('copy'),
      ...filter('slo'), // multipart uploads
      ...[
        '[app:proxy-server]',
        'use = egg:swift#proxy',
        'account_autocreate = true',
        'allow_account_management = true',
      ],
    ],
  }
  for (const kind of ['object', 'container', 'account'])
    files[kind] = [
      ...common,
      '[pipeline:main]',
      `pipeline = ${kind}`,
      `[app:${kind}]`,
      `use = egg:swift#${kind}`,
    ]
  await Promise.all(
    Object.entries(files).map(([name, lines]) =>
      fs.writeFile(path.join(folder, `${name}.conf`), `${lines.join('\n')}\n`),
    ),
  )
}
