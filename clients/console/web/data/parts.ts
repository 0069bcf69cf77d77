/** Reads a list part by part: the first one for a screen, and each further one on request. */
import { useSignal } from '@preact/signals'
import { type Reading, type RunnableCommand, useCommand, useReading } from './reading.ts'
import { counted } from './words.ts'

type Part<Item> = { items: readonly Item[]; next_offset: number | null }

export type Parts<Item> = {
  first: Reading<Part<Item>>
  /** The items so far; null: none has been read yet. */
  items: readonly Item[] | null
  isWhole: boolean
  /** Reads the next part. */
  more: RunnableCommand
}

/** Reads the first part again when a dependency changes. A late part of earlier dependencies is dropped. */
export function useParts<Item>(
  read: (offset: number, signal?: AbortSignal) => PromiseLike<Part<Item>>,
  dependencies: readonly unknown[],
): Parts<Item> {
  const first = useReading(signal => read(0, signal), dependencies)
  const joined = useSignal<{ first: Part<Item>; whole: Part<Item> } | null>(null)
  const isCurrent = joined.value !== null && joined.value.first === first.data
  const shown = isCurrent ? (joined.value?.whole ?? null) : first.data
  const more = useCommand(async () => {
    const of = first.data
    if (of === null || shown === null || shown.next_offset === null) return
    const { items, next_offset } = await read(shown.next_offset)
    joined.value = { first: of, whole: { items: [...shown.items, ...items], next_offset } }
  })
  return { first, items: shown?.items ?? null, isWhole: shown?.next_offset === null, more }
}

/** Returns the heading of a list: `1,200 links`, or `First 1,000 links` while there are more. */
export function partsTitle(
  { items, isWhole }: Pick<Parts<unknown>, 'items' | 'isWhole'>,
  one: string,
): string {
  if (items === null) return `${one.charAt(0).toUpperCase()}${one.slice(1)}s`
  return isWhole ? counted(items.length, one) : `First ${counted(items.length, one)}`
}
