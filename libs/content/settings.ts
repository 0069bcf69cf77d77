/** Declares the settings of page bodies: the store of new ones, and the S3 store. */
import { oneOf } from '@tidemark/contracts/primitives'
import { type Static, Type } from 'typebox'

/** Returns the fault of a store's address, or null. An empty address is valid. */
export function endpointFault(text: string): string | null {
  if (text === '') return null
  const { protocol, pathname, search, username } = URL.parse(text) ?? {}
  const isAddress =
    (protocol === 'https:' || protocol === 'http:') && pathname === '/' && !search && !username
  return isAddress ? null : 'must be an address such as https://s3.eu-central-1.amazonaws.com'
}

/** Settings of services that read bodies. */
export const objectStoreSettings = {
  S3_ENDPOINT: Type.String({
    default: '',
    check: endpointFault,
    description:
      'Address of the S3 store of bodies, as `https://s3.eu-central-1.amazonaws.com`. Empty: Postgres stores all bodies. The operator sets it, so it may be private. [Requirements](operating.md#bodies-in-s3).',
  }),
  S3_BUCKET: Type.String({
    default: '',
    description: 'Bucket of the store. It must exist and have no other use.',
  }),
  S3_REGION: Type.String({
    default: 'us-east-1',
    description: 'Region of the store. Many stores accept any word.',
  }),
  S3_ACCESS_KEY_ID: Type.String({ default: '', description: 'Id of the access key.' }),
  S3_SECRET_ACCESS_KEY: Type.String({ default: '', description: 'Secret of the access key.' }),
  S3_PATH_STYLE: Type.Boolean({
    default: true,
    description:
      'true: the bucket is in the path (`https://host/bucket/…`), which nearly every store supports. false: it is in the host (`https://bucket.host/…`).',
  }),
  S3_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 120_000,
    description: 'Time for one request to the store of bodies, including all attempts.',
  }),
}

/** Settings of services that store bodies. */
export const bodySettings = {
  BODIES: oneOf(['postgres', 's3'], {
    default: 'postgres',
    description:
      'Store for the bodies of new pages. Existing bodies stay readable in their store, so this setting may change at any time.',
  }),
}

/** The schema of `objectStoreSettings`. */
export const ObjectStore = Type.Object(objectStoreSettings)
type StoreSettings = Static<typeof ObjectStore>

/** The address of a bucket, and the key to access it. */
export type BucketConfig = {
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  isPathStyle: boolean
  timeoutMs: number
}

const together = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

/** Returns the missing settings as sentences. The four belong together, and `BODIES=s3` requires them. */
export function bodyFaults(settings: StoreSettings & { BODIES?: 'postgres' | 's3' }): string[] {
  const missing = together.filter(name => settings[name] === '')
  const isWanted = settings.BODIES === 's3' || missing.length < together.length
  const reason = settings.BODIES === 's3' ? 'BODIES is s3' : 'it goes together with the other S3_ settings'
  return isWanted ? missing.map(name => `${name} is missing: ${reason}`) : []
}

/** Returns the configured bucket, or null if no store is set. */
export function bucketConfig(settings: StoreSettings): BucketConfig | null {
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
