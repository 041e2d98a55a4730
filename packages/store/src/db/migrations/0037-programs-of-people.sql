-- Whether a person wrote what the program does: then the rules of the mode `standard` ask for no yes, as for scripts. It is bound to
-- the ticket, so that a program that is handed one cannot say it of itself.
alter table program_tickets add column by_person boolean not null default false;
