/** A group of users. Instants are milliseconds since the epoch. */
export interface Group {
  /** UUIDv7. */
  id: string;
  name: string;
  /** For administrators; empty where they gave none. */
  description: string;
  /** The project that administers it. */
  managedBy: string | undefined;
  createdAt: number;
  updatedAt: number;
}
