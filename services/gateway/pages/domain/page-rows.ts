/** The fields and columns of a list of pages. */
import { type PageField, pageColumns } from '@tidemark/contracts/http/pages'
import type { RowShape } from '../../http/domain/list-rows.ts'

/** The names in `fields`, without duplicates, in their order. */
export const fieldsOf = (fields = ''): PageField[] =>
  fields === '' ? [] : ([...new Set(fields.split(','))] as PageField[])

export const pageShape = (fields: readonly PageField[]): RowShape => ({
  columns: [...pageColumns, ...fields],
  freeText: ['title', 'content_type', 'requested_url'],
})
