/** The targets of exports: parts in Postgres for download, or an object in a bucket of the customer. */
import type { BucketKeys } from '@tidemark/contracts/rpc/exports'
import type { HttpClient } from '@tidemark/http/client'
import type { Sealer } from '@tidemark/secrets/seal'
import { ExportFault, type ExportJob, fileOf } from '../../domain/exports/export-job.ts'
import { type BucketObject, bucketObject, NoSuchUpload } from './bucket.ts'
import type { FilePart } from './export-thread.ts'
import type { Leases, StoredPart, Written } from './leases.ts'

export type Sink = {
  /** Stores a part that is not stored yet. */
  put(part: FilePart): Promise<void>
  /** Completes the file. @param parts all parts of the file */
  complete(written: Written, parts: readonly StoredPart[]): Promise<void>
}

/** Opens the bucket of a job. Throws `ExportFault` if its keys cannot be read. */
export type OpenBucket = (job: ExportJob, signal: AbortSignal) => BucketObject

export const bucketsBy =
  (client: HttpClient, secrets: Pick<Sealer, 'open'>): OpenBucket =>
  (job, signal) => {
    const { sink, credentials, id: exportId } = job
    if (sink.type !== 's3' || credentials === null) throw new Error(`export ${exportId} has no bucket`)
    const { name, mediaType } = fileOf(job)
    return bucketObject(client, {
      ...{ sink: sink, exportId, mediaType, signal },
      key: sink.key ?? name,
      keys: opened(secrets, credentials),
    })
  }

function opened({ open }: Pick<Sealer, 'open'>, credentials: string): BucketKeys {
  try {
    return JSON.parse(open(credentials))
  } catch (cause) {
    const message =
      'The access key cannot be decrypted, because the key of this installation was replaced. Request it again.'
    throw new ExportFault('credentials_unreadable', message, { cause })
  }
}

/** @param maxKeptBytes maximum of all bytes of the project that are kept here */
export const downloadSink = (leases: Leases, job: ExportJob, maxKeptBytes: number): Sink => ({
  put: ({ number, data, sha256 }) =>
    leases.storePart(job, { number, size: data.byteLength, sha256, tag: null }, { data, maxKeptBytes }),
  complete: async () => {},
})

/**
 * Returns the sink of a bucket. A file of one part is put at once. A longer file is a multipart upload. An upload that
 * an earlier process has begun is continued.
 */
export function bucketSink(leases: Leases, job: ExportJob, object: BucketObject): Sink {
  let { upload } = job
  const openUpload = async (): Promise<string> => {
    if (upload !== null) return upload
    const begun = await object.begin()
    await leases.setUpload(job, begun).catch(async error => {
      // Nothing else knows this upload. A killed process leaves it to the rules of the bucket.
      await object.abort(begun).catch(() => {})
      throw error
    })
    upload = begun
    return begun
  }
  /** Forgets an upload that the bucket does not know, so that the next try begins another upload. Always throws. */
  const startOver = async (error: unknown): Promise<never> => {
    if (!(error instanceof NoSuchUpload)) throw error
    await leases.setUpload(job, null)
    throw new ExportFault('s3_unavailable', 'The S3 service removed the parts of the upload.', {
      isFinal: false,
    })
  }

  return {
    async put(part) {
      const { number, data, sha256, isLast } = part
      const stored = { number, size: data.byteLength, sha256 }
      if (number === 1 && isLast && upload === null) {
        await object.put(part)
        return leases.storePart(job, { ...stored, tag: null }, null)
      }
      const tag = await object.putPart(await openUpload(), number, part).catch(startOver)
      await leases.storePart(job, { ...stored, tag }, null)
    },

    async complete({ bytes }, parts) {
      if (upload === null) return
      const tagged = parts.map(({ number, tag }) => ({ number, tag: tag ?? '' }))
      await object.complete(upload, tagged).catch(async error => {
        // An earlier process may have completed the upload, and been killed before it recorded that.
        if (error instanceof NoSuchUpload && (await object.isComplete(bytes))) return
        await startOver(error)
      })
    },
  }
}
