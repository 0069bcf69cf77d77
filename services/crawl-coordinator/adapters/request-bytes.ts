/**
 * SQL that counts the bytes of the requests that start a project's runs, per UTC day. RUNS stores each request for a
 * week, even if its run is cancelled or deleted at once and costs nothing.
 */

type Values = Record<'projectId' | 'bytes' | 'limit', string>

/**
 * Returns the SQL of the CTE that counts a request. It yields no row if the project would exceed the limit of the day.
 */
export const spending = ({ projectId, bytes, limit }: Values): string => `
  insert into coordinator.request_bytes as spent (project_id, day, bytes)
  values (${projectId}, (now() at time zone 'utc')::date, ${bytes})
  on conflict (project_id) do update
  set day = greatest(spent.day, excluded.day),
    bytes = excluded.bytes + case when spent.day < excluded.day then 0 else spent.bytes end
  where spent.day < excluded.day or spent.bytes + excluded.bytes <= ${limit}
  returning project_id`

/** Returns the SQL that subtracts a request that RUNS has not stored, for the project in the table `withdrawn`. */
export const refunding = ({ bytes }: Pick<Values, 'bytes'>): string => `
  update coordinator.request_bytes as spent set bytes = spent.bytes - ${bytes}
  from withdrawn where spent.project_id = withdrawn.project_id and spent.bytes >= ${bytes}`
