/** The object store for what is too large for a message; the message then carries the key. Swept by age. */
import { type ObjectStore, Objm } from '@nats-io/obj'
import type { Bus } from './connection.ts'

export type Bulky = {
  /** Stores under a key of the caller's choice; an earlier value of that key is replaced. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** The bytes, or null when they were deleted or swept. */
  get(key: string): Promise<Uint8Array | null>
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>
}

const bucket = 'BULKY'

/** The bucket is declared elsewhere and looked for at the first use. */
export function openBulky(bus: Bus): Bulky {
  let opened: Promise<ObjectStore> | null = null
  const store = () => {
    opened ??= new Objm(bus.nc).open(bucket).catch(error => {
      opened = null
      throw error
    })
    return opened
  }
  return {
    async put(key, bytes) {
      await (await store()).putBlob({ name: key }, bytes)
    },
    async get(key) {
      return (await store()).getBlob(key)
    },
    async delete(key) {
      const objects = await store()
      if (await objects.info(key)) await objects.delete(key)
    },
  }
}
