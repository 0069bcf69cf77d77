/** For each rule the least change of the clean page that makes it find something, and which others that cannot be without. */
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
