/**
 * Rules for the comparison of pages: what of a page counts. They apply to the comparison hash and to the comparison by
 * lines alike. Stored bodies, texts and the other hashes do not depend on them.
 */
import { type Static, Type } from 'typebox'

export const CompareRules = Type.Object({
  /** CSS selectors of elements that do not count. */
  ignoreSelectors: Type.Optional(Type.Array(Type.String())),
  /** CSS selectors: if there are any, only these elements count. */
  onlySelectors: Type.Optional(Type.Array(Type.String())),
  /** RE2 patterns: the parts of the text that match do not count. */
  ignoreText: Type.Optional(Type.Array(Type.String())),
})
export type CompareRules = Static<typeof CompareRules>
