/** For each rule the smallest change of the clean page that violates it, with the other rules that it also violates. */
import { answerPairs, searchPairs } from './answer-pairs.scene.ts'
import type { Pair } from './audit-changes.scene.ts'
import { dataPairs, partsPairs } from './part-pairs.scene.ts'
import { deliveryPairs, enginesPairs, peoplePairs } from './reach-pairs.scene.ts'
import { textsPairs } from './text-pairs.scene.ts'

export const pairs: Readonly<Record<string, Pair>> = {
  ...answerPairs,
  ...searchPairs,
  ...textsPairs,
  ...partsPairs,
  ...dataPairs,
  ...peoplePairs,
  ...deliveryPairs,
  ...enginesPairs,
}
