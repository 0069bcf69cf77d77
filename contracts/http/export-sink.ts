/** The target of an export: kept here for download, or an object in an S3 bucket of the client. */
import { type Static, Type } from 'typebox'
import { mustBe, oneOf } from '../primitives.ts'

const Download = Type.Object({ type: Type.Literal('download', { description: 'Kept here for download.' }) })

/** Bucket, object name and address of an export in S3, without credentials. */
const bucket = {
  type: Type.Literal('s3', { description: 'Sent to an S3 bucket.' }),
  endpoint: Type.String({
    maxLength: 2000,
    description: 'Address of the S3 service, without a path. It must be public.',
    examples: ['https://s3.eu-central-1.amazonaws.com'],
  }),
  bucket: Type.String({
    pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
    ...mustBe('3 to 63 lower-case letters, digits, dots and hyphens'),
    description: 'The bucket. It must exist.',
    examples: ['crawls'],
  }),
  region: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9-]{1,64}$',
      ...mustBe('letters, digits and hyphens'),
      description: 'The region of the bucket. Default: us-east-1.',
      examples: ['eu-central-1'],
    }),
  ),
  key: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_=-][A-Za-z0-9._=/-]{0,999}$',
      ...mustBe('letters, digits and . _ = / -, beginning with neither . nor /'),
      description:
        'Name of the object. An existing object is replaced. Default: a name with the id of the export.',
      examples: ['tidemark/run-42.jsonl'],
    }),
  ),
  path_style: Type.Optional(
    Type.Boolean({
      description:
        'true: the bucket is in the path (`https://host/bucket/…`). false: it is in the host. Default: true.',
    }),
  ),
}

const credential = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[\\x21-\\x7e]+$',
    ...mustBe('visible ASCII characters'),
    ...{ writeOnly: true, description },
  })

/** One object for all types, so that an error names the wrong field. */
export const RequestedSink = Type.Object(
  {
    type: oneOf(['download', 's3'], {
      description: 'download: kept here. s3: sent to a bucket.',
    }),
    endpoint: Type.Optional(bucket.endpoint),
    bucket: Type.Optional(bucket.bucket),
    region: bucket.region,
    key: bucket.key,
    path_style: bucket.path_style,
    access_key_id: Type.Optional(
      credential(256, 'Id of an access key that may put objects. It is stored encrypted.'),
    ),
    secret_access_key: Type.Optional(
      credential(
        1024,
        'Secret of the access key. It is stored encrypted until the export ends, and never shown.',
      ),
    ),
  },
  { description: 'The target of the file. Default: download. s3 needs endpoint, bucket and the access key.' },
)
export type RequestedSink = Static<typeof RequestedSink>

/** A sink as clients read it: never with its credentials. */
export const ExportSink = Type.Union([Download, Type.Object(bucket)], {
  description: 'The target of the file.',
})
export type ExportSink = Static<typeof ExportSink>
