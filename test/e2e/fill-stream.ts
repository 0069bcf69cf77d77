import type { Bus } from '@tidemark/bus/connection'

/** Publishes large and then small messages until the stream of the subject rejects one of a byte. */
export async function fillStream({ js }: Bus, subject: string): Promise<void> {
  const isStored = (bytes: number) =>
    js.publish(subject, new Uint8Array(bytes)).then(
      () => true,
      () => false,
    )
  for (const bytes of [256 * 1024, 16 * 1024, 512, 1]) while (await isStored(bytes));
}
