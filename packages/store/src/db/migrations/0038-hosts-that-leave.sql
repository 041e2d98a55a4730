-- A host that is about to end says so: what works there is opened elsewhere between two steps, and what rests is parked.
alter table hosts add column is_leaving boolean not null default false;
