/** What can be set of bodies: where new ones are kept, and the store that speaks S3, for all who read there. */
import { type Static, Type } from 'typebox'

const word = <Word extends string>(word: Word) => Type.Literal(word)

/** What is wrong with the address of a store, or null; none is right too. */
export function endpointFault(text: string): string | null {
  if (text === '') return null
  const { protocol, pathname, search, username } = URL.parse(text) ?? {}
  const isAddress =
    (protocol === 'https:' || protocol === 'http:') && pathname === '/' && !search && !username
  return isAddress ? null : 'must be an address such as https://s3.eu-central-1.amazonaws.com'
}

/** For whoever reads bodies. */
export const objectStore = {
  S3_ENDPOINT: Type.String({
    default: '',
    check: endpointFault,
    description:
      'Address of the store of bodies that speaks S3, as `https://s3.eu-central-1.amazonaws.com`; empty: bodies are in Postgres alone. It is yours and no customer names it, so it may be private. [What it must be](operating.md#bodies-in-s3).',
  }),
  S3_BUCKET: Type.String({
    default: '',
    description: 'Its bucket, which is there, and which nothing else uses.',
  }),
  S3_REGION: Type.String({ default: 'us-east-1', description: 'Its region; many stores take any word.' }),
  S3_ACCESS_KEY_ID: Type.String({ default: '', description: 'The key to the bucket: its name.' }),
  S3_SECRET_ACCESS_KEY: Type.String({ default: '', description: 'The key to the bucket: the secret.' }),
  S3_PATH_STYLE: Type.Boolean({
    default: true,
    description:
      'Whether the bucket is named in the path (`https://host/bucket/…`), which nearly every store takes, or in the host (`https://bucket.host/…`).',
  }),
  S3_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 120_000,
    description: 'Time for one request to the store of bodies, with all its tries.',
  }),
}

/** For whoever stores them. */
export const bodies = {
  BODIES: Type.Union([word('postgres'), word('s3')], {
    default: 'postgres',
    description:
      'Where the bodies of new pages are kept. Those that are there stay where they are and are read from there, so it may be changed at any time.',
  }),
}

/** The same, for whoever reads nothing else. */
export const ObjectStore = Type.Object(objectStore)
type StoreSettings = Static<typeof ObjectStore>

/** A bucket and how it is reached. */
export type BucketPlace = {
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  isPathStyle: boolean
  timeoutMs: number
}

const together = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

/** What is missing, in sentences: the four go together, and whoever is to keep bodies in S3 needs them. */
export function bodyFaults(settings: StoreSettings & { BODIES?: 'postgres' | 's3' }): string[] {
  const missing = together.filter(name => settings[name] === '')
  const isWanted = settings.BODIES === 's3' || missing.length < together.length
  const reason = settings.BODIES === 's3' ? 'BODIES is s3' : 'it goes together with the other S3_ settings'
  return isWanted ? missing.map(name => `${name} is missing: ${reason}`) : []
}

/** Null where none is set. */
export function bucketPlace(settings: StoreSettings): BucketPlace | null {
  if (settings.S3_ENDPOINT === '') return null
  return {
    endpoint: settings.S3_ENDPOINT,
    bucket: settings.S3_BUCKET,
    region: settings.S3_REGION,
    accessKeyId: settings.S3_ACCESS_KEY_ID,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY,
    isPathStyle: settings.S3_PATH_STYLE,
    timeoutMs: settings.S3_TIMEOUT_MS,
  }
}
