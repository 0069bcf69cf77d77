/**
 * Lists, shows, replays and discards dead letters. Each action may be repeated, and skips letters that are already
 * deleted.
 */
import type { Bus } from '@tidemark/bus/connection'
import { censored, withoutSecrets } from '@tidemark/telemetry/redact'
import { AdminError } from '../admin-error.ts'
import type { Print } from '../print.ts'
import { contentsOf } from './contents.ts'
import { eachLetter, type Letter, letterOf, remove, type Wanted } from './letters.ts'
import { sendAgain, whyNot } from './send-again.ts'

/** The selected letters: those with these ids, or all that match the filter. */
export type Selection = { ids: number[]; all: boolean; wanted: Wanted }

/** Returns the number of letters and the newest `max` of them. */
export async function list(bus: Bus, wanted: Wanted, max: number, print: Print): Promise<object> {
  let total = 0
  let newest: ReturnType<typeof listed>[] = []
  await eachLetter(bus, wanted, async letters => {
    total += letters.length
    newest = [...newest, ...letters.slice(-max).map(listed)].slice(-max)
  })
  const letters = newest.toReversed()
  for (const { id, at, stream, consumer, reason } of letters)
    print(`${id}  ${at}  ${stream} ${consumer}: ${reason}`)
  return { total, letters }
}

/** Returns a letter with its contents, without secrets. Throws AdminError if it does not exist. */
export async function show(bus: Bus, id: number): Promise<object> {
  const letter = await letterOf(bus, id)
  if (letter === null) throw new AdminError(`There is no dead letter ${id}.`)
  const why = whyNot(letter)
  const contents = contentsOf(letter.data)
  return {
    ...listed(letter),
    ...(why !== null && { why_not: why }),
    headers: censored(letter.headers),
    contents,
  }
}

export async function replay(bus: Bus, selection: Selection, print: Print): Promise<object> {
  const replayed: number[] = []
  const skipped: { id: number; why: string }[] = []
  await each(bus, selection, async (id, letter) => {
    const why = letter === null ? 'it does not exist' : whyNot(letter)
    if (letter === null || why !== null) return void skipped.push({ id, why: why ?? '' })
    const { sequence } = await sendAgain(bus, letter)
    replayed.push(id)
    print(`${id} was sent to ${letter.stream} again, where it is ${sequence}`)
  })
  for (const { id, why } of skipped) print(`${id} stays: ${why}`)
  return { ok: skipped.length === 0, replayed, left: skipped }
}

/** Deletes letters and returns their ids. Missing letters are skipped. */
export async function discard(bus: Bus, selection: Selection): Promise<object> {
  const discarded: number[] = []
  await each(bus, selection, async (id, letter) => {
    if (letter !== null && (await remove(bus, id))) discarded.push(id)
  })
  return { discarded }
}

async function each(
  bus: Bus,
  { ids, all, wanted }: Selection,
  act: (id: number, letter: Letter | null) => Promise<void>,
): Promise<void> {
  if (!all) for (const id of ids) await act(id, await letterOf(bus, id))
  else
    await eachLetter(bus, wanted, async letters => {
      for (const letter of letters) await act(letter.id, letter)
    })
}

function listed(letter: Letter) {
  const { data: _data, headers: _headers, at, reason, ...same } = letter
  const isReplayable = whyNot(letter) === null
  return { ...same, at: at.toISOString(), reason: withoutSecrets(reason), replayable: isReplayable }
}
