/**
 * What a migration may not do, as a table: it runs while the version before goes on working with the same tables, and
 * nothing takes it back.
 */

export type Statement = { migration: string; sql: string }
export type Fault = { migration: string; rule: string; says: string }

/** Tables that the same migration makes have no rows and no readers. */
type Rule = {
  rule: string
  says: string
  breaks: (sql: string, isFresh: (table: string) => boolean) => boolean
}

const having = (pattern: RegExp) => (sql: string) => pattern.test(sql)
/** What follows a column's name, up to the next part of the statement. */
const addedColumns = (sql: string): string[] =>
  /^alter table/.test(sql)
    ? [...sql.matchAll(/add column (?:if not exists )?(\S+ (?:\([^)]*\)|[^,(])*)/g)].map(
        ([, column = '']) => column,
      )
    : []

const rules: Rule[] = [
  {
    rule: 'drop',
    says: 'the version before reads it still: stop using it in one version, drop it in a later one',
    breaks: having(/\bdrop (table|column|schema|type|view|materialized|function|sequence)\b/),
  },
  {
    rule: 'rename',
    says: 'the version before knows the old name alone: add the new one, and write both for a version',
    breaks: having(/\brename (to|column|constraint)\b|^alter table \S+ rename\b/),
  },
  {
    rule: 'column type',
    says: 'the table is written anew under a lock: add another column',
    breaks: having(/alter column \S+ (set data )?type\b/),
  },
  {
    rule: 'set not null',
    says: 'the version before may write null, and the whole table is read under a lock',
    breaks: having(/alter column \S+ set not null\b/),
  },
  {
    rule: 'drop not null',
    says: 'the version before may meet a null where it expects none',
    breaks: having(/alter column \S+ drop not null\b/),
  },
  {
    rule: 'not null without default',
    says: 'the version before writes rows without it',
    breaks: sql =>
      addedColumns(sql).some(column => /\bnot null\b/.test(column) && !/\bdefault\b/.test(column)),
  },
  {
    rule: 'volatile default',
    says: 'the table is written anew under a lock: add the column without it',
    breaks: sql =>
      addedColumns(sql).some(column => /\b(serial|bigserial|identity|stored)\b|default \w+\(/.test(column)),
  },
  {
    rule: 'constraint',
    says: 'the whole table is read under a lock: add it NOT VALID, and validate it in a migration of its own',
    breaks: sql =>
      /^alter table/.test(sql) &&
      (/\badd (constraint|check|unique|primary key|foreign key|exclude)\b/.test(sql) ||
        addedColumns(sql).some(column => /\b(check|unique|references|primary key)\b/.test(column))) &&
      !/\bnot valid\b/.test(sql),
  },
  {
    rule: 'index',
    says: 'nobody writes to the table meanwhile: CREATE INDEX CONCURRENTLY, in a migration that is no transaction',
    breaks: (sql, isFresh) => {
      const [, how = '', table = ''] = /^create (?:unique )?index (.*?)\bon (?:only )?(\S+)/.exec(sql) ?? []
      return table !== '' && !how.startsWith('concurrently') && !isFresh(table)
    },
  },
  {
    rule: 'rows',
    says: 'rows are locked for as long as all of it takes: fill them in by the service, a part at a time',
    breaks: (sql, isFresh) => {
      const [, table = ''] = /^(?:update|delete from|with .*\b(?:update|delete from)) (\S+)/.exec(sql) ?? []
      return table !== '' && !isFresh(table)
    },
  },
  {
    rule: 'lock',
    says: 'everybody waits for it',
    breaks: having(/^(lock|truncate|cluster|vacuum full|reindex (?!.*concurrently)|refresh materialized)\b/),
  },
]

/** What is wrong with the statements of one migration. */
export function faultsIn(statements: readonly Statement[]): Fault[] {
  const plain = statements.map(({ migration, sql }) => ({ migration, sql: plainSql(sql) }))
  const fresh = new Set(
    plain.flatMap(({ sql }) =>
      [...sql.matchAll(/create table (?:if not exists )?([^\s(]+)/g)].map(([, table]) => table),
    ),
  )
  const isFresh = (table: string) => fresh.has(table.replace(/\(.*$/, ''))
  return plain.flatMap(({ migration, sql }) => {
    const [, altered = ''] = /^alter table (?:if exists )?(?:only )?(\S+)/.exec(sql) ?? []
    if (altered !== '' && isFresh(altered)) return []
    return rules
      .filter(({ breaks }) => breaks(sql, isFresh))
      .map(({ rule, says }) => ({ migration, rule, says }))
  })
}

const plainSql = (sql: string): string => sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim().toLowerCase()
